import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { open, readFile, readlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { Redis } from "ioredis";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { errorCode } from "./error-code.ts";
import type { ManagedPlace } from "./managed-place.ts";
import { clientName, isAlive } from "./process-identity.ts";
import { parseInfo } from "./server-check.ts";
import { withinLimit } from "./time-limit.ts";

/** A server that answers, through a connection that bears this process's name. */
export interface ServerUp {
  readonly kind: "up";
  readonly client: Redis;
  readonly pid: number;
}

/** What came of knocking at the socket. */
export type Knock =
  | ServerUp
  /** Nobody listens. */
  | { readonly kind: "down" }
  /** Somebody may listen, but did not answer as a Redis in time. */
  | { readonly kind: "silent"; readonly reason: string };

/** A server that was started and may not answer yet. */
export interface StartedServer {
  hasExited(): boolean;
}

const POLL_MS = 20;
const PID_FILE = "redis.pid";
const LOG_FILE = "redis.log";

/** Connects once, without reconnecting. The client of an `up` answer belongs to the caller. */
export async function knock(place: ManagedPlace, limitMs: number): Promise<Knock> {
  const client = createSingleClient(place);
  let lastError: unknown;
  client.on("error", (error) => {
    lastError = error;
  });
  try {
    const asked = await withinLimit(connectAndAsk(client), limitMs);
    if (asked.kind === "done") return { kind: "up", client, pid: asked.value };
    client.disconnect();
    return { kind: "silent", reason: "no answer" };
  } catch (error) {
    client.disconnect();
    const code = errorCode(lastError);
    if (code === "ENOENT" || code === "ECONNREFUSED") return { kind: "down" };
    return { kind: "silent", reason: errorText(lastError ?? error) };
  }
}

/** Waits until the server has read its data from disk, which it does before it serves them. */
export async function waitUntilLoaded(client: Redis, limitMs: number): Promise<"loaded" | "late"> {
  const deadlineMs = performance.now() + limitMs;
  while (parseInfo(await client.info("persistence")).get("loading") !== "0") {
    if (performance.now() > deadlineMs) return "late";
    await delay(POLL_MS);
  }
  return "loaded";
}

/** Starts the server so that it survives this process; it does not answer yet. */
export async function startServer(binary: string, place: ManagedPlace): Promise<StartedServer> {
  const log = await open(join(place.folder, LOG_FILE), "a", 0o600);
  try {
    const child = spawn(binary, ["-"], {
      cwd: place.folder,
      // Out of the terminal's process group: Ctrl-C is for us, not for the data.
      detached: true,
      // Its environment is not ours: the API key has no business there.
      env: {},
      stdio: ["pipe", log.fd, log.fd],
    });
    let hasExited = false;
    child.once("exit", () => {
      hasExited = true;
    });
    child.stdin?.on("error", () => {
      // It ended before it read its configuration; the exit says so too.
    });
    await once(child, "spawn");
    child.stdin?.end(formatConfig(place));
    // It is meant to outlive this process, so this process must not wait for it.
    child.unref();
    return { hasExited: () => hasExited };
  } finally {
    await log.close();
  }
}

/** The last lines of the server's log, for an error message. */
export async function readLogTail({ folder }: ManagedPlace): Promise<string> {
  const text = await readFile(join(folder, LOG_FILE), "utf8").catch(() => "");
  return text.trim().split("\n").slice(-3).join(" | ");
}

/** Waits until the process has ended. */
export async function waitForExit(pid: number, limitMs: number): Promise<"gone" | "alive"> {
  const deadlineMs = performance.now() + limitMs;
  while (await isAlive(pid)) {
    if (performance.now() > deadlineMs) return "alive";
    await delay(POLL_MS);
  }
  return "gone";
}

/**
 * Whether only connections of this process are there. One of another that was just closed may
 * still be listed, so a foreign one counts when it stays.
 */
export async function isAloneAt(client: Redis): Promise<boolean> {
  for (let attempt = 0; attempt < 3; attempt += 1) {
    if (hasOnlyOwn(String(await client.client("LIST")))) return true;
    await delay(POLL_MS);
  }
  return false;
}

/**
 * The process that keeps this folder's data although its socket is gone (a cleaned temporary
 * folder, a server that is just ending). A second one on the same files would destroy them.
 */
export async function findUnreachableServer({ folder }: ManagedPlace): Promise<number | undefined> {
  const text = await readFile(join(folder, PID_FILE), "utf8").catch(() => "");
  const pid = Number.parseInt(text, 10);
  if (!Number.isSafeInteger(pid) || pid <= 1 || !(await isAlive(pid))) return undefined;
  return (await worksIn(pid, folder)) ? pid : undefined;
}

/** A recycled process id must not be mistaken for the server: it works in its folder, or shows its socket. */
async function worksIn(pid: number, folder: string): Promise<boolean> {
  const workingFolder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (workingFolder !== undefined) return workingFolder === folder;
  const ps = await promisify(execFile)("ps", ["-o", "command=", "-p", String(pid)]).catch(
    () => undefined,
  );
  return ps !== undefined && /(redis|valkey)-server.*redis\.sock/.test(ps.stdout);
}

function createSingleClient(place: ManagedPlace): Redis {
  return new Redis({
    path: place.socketPath,
    connectionName: clientName(),
    lazyConnect: true,
    retryStrategy: () => null,
    enableOfflineQueue: false,
    // A server that is still loading answers INFO, and is told from one that does not answer.
    enableReadyCheck: false,
    disconnectTimeout: 100,
  });
}

async function connectAndAsk(client: Redis): Promise<number> {
  await client.connect();
  return Number(parseInfo(await client.info("server")).get("process_id"));
}

function hasOnlyOwn(clientList: string): boolean {
  return clientList
    .trim()
    .split("\n")
    .every((line) => line.includes(` name=${clientName()} `));
}

function formatConfig({ folder, socketPath }: ManagedPlace): string {
  return [
    "port 0",
    `unixsocket ${quote(socketPath)}`,
    "unixsocketperm 700",
    `dir ${quote(folder)}`,
    `pidfile ${quote(join(folder, PID_FILE))}`,
    `logfile ${quote(join(folder, LOG_FILE))}`,
    "loglevel warning",
    "daemonize no",
    "appendonly yes",
    // An answer that was paid for must survive a power cut.
    "appendfsync always",
    'save ""',
    "maxmemory-policy noeviction",
    "",
  ].join("\n");
}

/** redis.conf's double quotes. */
function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** The error of a server that was started or met, but cannot be used. */
export function unusable(place: ManagedPlace, reason: string): OnboardError {
  return new OnboardError(EXIT.unavailable, `the managed Redis in ${place.folder} ${reason}`, {
    hint: `see ${join(place.folder, LOG_FILE)}, or name a Redis with --redis redis://host:6379`,
  });
}
