import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RedisContainer } from "@testcontainers/redis";
import { Redis } from "ioredis";
import { getContainerRuntimeClient } from "testcontainers";
import type { TestProject } from "vitest/node";
import { findServerBinary } from "../../src/redis/managed-binary.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** A Redis that all tests share: use key prefixes and run ids of your own, never FLUSHALL. */
    redisUrl: string;
  }
}

const IMAGE = "redis:7.4-alpine";
const READY_LIMIT_MS = 10_000;
const POLL_MS = 10;

/** What a test may change in its own Redis. */
export interface PrivateRedisOptions {
  /** Keeps what was acknowledged, also through kill() (default: no; then a restart is an empty Redis). */
  readonly durable?: boolean;
  /** More lines of redis.conf, e.g. `requirepass secret`. */
  readonly config?: readonly string[];
  /** The port; a free one by default. */
  readonly port?: number;
  /** For the readiness check when `config` sets a password. */
  readonly password?: string;
}

/** A Redis of a test's own, on loopback. Whoever starts it stops it. */
export interface PrivateRedis {
  /** Stays the same through restarts. */
  readonly url: string;
  /** Of the server that runs now, or ran last. */
  readonly pid: number;
  /** Where it keeps its data. */
  readonly dir: string;
  /** As a power cut: SIGKILL, data folder kept. */
  kill(): Promise<void>;
  /** Answers nothing, breaks no connection, until thaw(). */
  freeze(): void;
  thaw(): void;
  /** The same port and data; ends a living server first, cleanly. */
  restart(): Promise<void>;
  /** Ends it for good and removes its data. */
  stop(): Promise<void>;
}

let stopShared: (() => Promise<unknown>) | undefined;

/** Vitest's globalSetup: one Redis for all tests of a project, from a container or from this machine. */
export async function setup(project: TestProject): Promise<void> {
  const shared = await startShared();
  stopShared = shared.stop;
  project.provide("redisUrl", shared.url);
  say(`Redis for ${project.name} tests: ${shared.from}`);
}

/** Vitest's globalSetup, at the end. */
export async function teardown(): Promise<void> {
  await stopShared?.();
  stopShared = undefined;
}

/** Starts a Redis that one test may kill, freeze or flush. */
export async function startPrivateRedis(options: PrivateRedisOptions = {}): Promise<PrivateRedis> {
  const binary = await findLocalBinary();
  const dir = await mkdtemp(join(tmpdir(), "onboard-batch-test-redis-"));
  const port = options.port ?? (await findFreePort());
  const url = `redis://127.0.0.1:${port}`;
  const start = () => startServer({ binary, dir, port, options });
  let child = await start();
  return {
    url,
    dir,
    get pid() {
      return child.pid ?? 0;
    },
    kill: () => end(child, "SIGKILL"),
    freeze: () => {
      child.kill("SIGSTOP");
    },
    thaw: () => {
      child.kill("SIGCONT");
    },
    restart: async () => {
      await end(child, "SIGTERM");
      child = await start();
    },
    stop: async () => {
      await end(child, "SIGKILL");
      await rm(dir, { recursive: true, force: true });
    },
  };
}

interface SharedRedis {
  readonly url: string;
  /** For the line that says which. */
  readonly from: string;
  readonly stop: () => Promise<unknown>;
}

async function startShared(): Promise<SharedRedis> {
  if (!(await hasContainerEngine())) return startLocal("no container engine answers");
  try {
    const container = await new RedisContainer(IMAGE).start();
    const from = `container ${IMAGE}`;
    return { url: container.getConnectionUrl(), from, stop: () => container.stop() };
  } catch (error) {
    // An engine without the image and without a registry is as good as none.
    return startLocal(`the container did not start: ${String(error)}`);
  }
}

async function startLocal(why: string): Promise<SharedRedis> {
  const redis = await startPrivateRedis();
  return { url: redis.url, from: `local redis-server (${why})`, stop: () => redis.stop() };
}

async function hasContainerEngine(): Promise<boolean> {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}

/** The product's own search; its error says how to install one. */
function findLocalBinary(): Promise<string> {
  return findServerBinary({
    binary: process.env["ONBOARD_BATCH_REDIS_SERVER"],
    searchPath: process.env["PATH"] ?? "",
  });
}

interface ServerStart {
  readonly binary: string;
  readonly dir: string;
  readonly port: number;
  readonly options: PrivateRedisOptions;
}

async function startServer({ binary, dir, port, options }: ServerStart): Promise<ChildProcess> {
  const child = spawn(binary, ["-"], { stdio: ["pipe", "ignore", "ignore"] });
  const isDurable = options.durable === true;
  const lines = [
    "bind 127.0.0.1",
    `port ${port}`,
    `dir "${dir}"`,
    'save ""',
    `appendonly ${isDurable ? "yes" : "no"}`,
    `appendfsync ${isDurable ? "always" : "no"}`,
    ...(options.config ?? []),
  ];
  child.stdin.end(`${lines.join("\n")}\n`);
  await waitUntilReady(child, port, options.password);
  return child;
}

async function waitUntilReady(child: ChildProcess, port: number, password = ""): Promise<void> {
  const client = new Redis({
    port,
    password,
    retryStrategy: () => POLL_MS,
    maxRetriesPerRequest: null,
  });
  client.on("error", () => {
    // Refused until it listens.
  });
  const exited = once(child, "exit").then(() => "exited");
  const late = new AbortController();
  const outcome = await Promise.race([
    // Not events.once, which would reject at the first refused attempt.
    new Promise<string>((resolve) => {
      client.once("ready", () => resolve("ready"));
    }),
    exited,
    delay(READY_LIMIT_MS, "late", { signal: late.signal }),
  ]);
  late.abort();
  client.disconnect();
  if (outcome === "ready") return;
  await end(child, "SIGKILL");
  throw new Error(`redis-server on port ${port} ${outcome} before it was ready`);
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return address.port;
}

function say(line: string): void {
  process.stderr.write(`${line}\n`);
}
