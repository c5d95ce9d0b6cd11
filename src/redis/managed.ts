import { setTimeout as delay } from "node:timers/promises";
import { errorText } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { withFolderLock } from "./folder-lock.ts";
import { type BinarySearch, findServerBinary } from "./managed-binary.ts";
import { type ManagedPlace, preparePlace } from "./managed-place.ts";
import {
  findUnreachableServer,
  isAloneAt,
  type Knock,
  knock,
  readLogTail,
  type ServerUp,
  startServer,
  unusable,
  waitForExit,
  waitUntilLoaded,
} from "./managed-server.ts";
import { socketUrl } from "./redis-url.ts";

/** Where the private Redis keeps its data, and how to find a server for it. */
export interface ManagedRedisOptions extends BinarySearch {
  /** A folder for it alone; made when missing. Every process that names it meets at the same server. */
  readonly stateDir: string;
  readonly log: Log;
}

/** Membership in a managed Redis. */
export interface ManagedRedis {
  /** For connectRedis. */
  readonly url: string;
  /** Leaves; the last one out ends the server, its data on disk. Close all connections first. Never rejects. */
  close(): Promise<void>;
}

/** Whoever starts or ends the server has this long for it; loading much data takes its time. */
const LOCK_WAIT_MS = 70_000;
const START_LIMIT_MS = 30_000;
const LEAVE_LOCK_WAIT_MS = 5_000;
const STOP_LIMIT_MS = 10_000;
const SILENT_LIMIT_MS = 10_000;
const POLL_MS = 20;
const RETRY_MS = 1_000;

/**
 * Joins the private Redis of a folder, or starts it; starts it again when it dies while a member is
 * there. It survives a killed member and is then found by the next.
 * @throws OnboardError exit 5 when there is no server to start or it cannot be used, exit 2 when the
 * binary that was named is none.
 */
export async function openManagedRedis(options: ManagedRedisOptions): Promise<ManagedRedis> {
  const place = await preparePlace(options.stateDir);
  const member = createMember(options, place);
  await member.join();
  return { url: socketUrl(place.socketPath), close: () => member.leave() };
}

interface Member {
  join(): Promise<void>;
  leave(): Promise<void>;
}

/** Holds one connection as the sign that this process is there, and watches the server by it. */
function createMember(options: ManagedRedisOptions, place: ManagedPlace): Member {
  const leaving = new AbortController();
  let hold: ServerUp | undefined;
  let rejoining: Promise<void> = Promise.resolve();
  let left: Promise<void> | undefined;

  const join = async (): Promise<void> => {
    hold = await meetServer(options, place);
    hold.client.once("close", () => {
      hold = undefined;
      if (leaving.signal.aborted) return;
      options.log.warn("managed-redis.died");
      rejoining = rejoin();
    });
  };
  const rejoin = async (): Promise<void> => {
    while (!leaving.signal.aborted) {
      try {
        await join();
        return;
      } catch (error) {
        options.log.error("managed-redis.not-restarted", { reason: errorText(error) });
        await delay(RETRY_MS, undefined, { signal: leaving.signal }).catch(() => undefined);
      }
    }
  };
  const leave = async (): Promise<void> => {
    leaving.abort();
    await rejoining;
    const up = hold;
    if (up === undefined) return;
    await leaveServer(up, place).catch((error: unknown) => {
      options.log.warn("managed-redis.left-running", { reason: errorText(error) });
    });
    up.client.disconnect();
  };
  return { join, leave: () => (left ??= leave()) };
}

async function meetServer(options: ManagedRedisOptions, place: ManagedPlace): Promise<ServerUp> {
  return withFolderLock({ folder: place.folder, waitMs: LOCK_WAIT_MS }, async () => {
    const answer = await knockUntilClear(place);
    const up = answer.kind === "up" ? answer : await startFresh(options, place);
    if ((await waitUntilLoaded(up.client, START_LIMIT_MS)) === "loaded") return up;
    up.client.disconnect();
    throw unusable(place, "is still loading its data");
  });
}

async function startFresh(options: ManagedRedisOptions, place: ManagedPlace): Promise<ServerUp> {
  await endUnreachableServer(place);
  const up = await startAndWait(await findServerBinary(options), place);
  options.log.info("managed-redis.started", { pid: up.pid });
  return up;
}

/** A server that is just ending resets connections for a moment; then it is either up or down. */
async function knockUntilClear(place: ManagedPlace): Promise<Exclude<Knock, { kind: "silent" }>> {
  const deadlineMs = performance.now() + SILENT_LIMIT_MS;
  for (;;) {
    const answer = await knock(place, SILENT_LIMIT_MS);
    if (answer.kind !== "silent") return answer;
    if (performance.now() > deadlineMs) throw unusable(place, `does not answer (${answer.reason})`);
    await delay(POLL_MS);
  }
}

async function endUnreachableServer(place: ManagedPlace): Promise<void> {
  const pid = await findUnreachableServer(place);
  if (pid === undefined) return;
  process.kill(pid, "SIGTERM");
  if ((await waitForExit(pid, STOP_LIMIT_MS)) === "gone") return;
  throw unusable(place, `runs as process ${pid} but cannot be reached; end that process`);
}

async function startAndWait(binary: string, place: ManagedPlace): Promise<ServerUp> {
  const server = await startServer(binary, place);
  const deadlineMs = performance.now() + START_LIMIT_MS;
  while (performance.now() < deadlineMs) {
    // Asked before knocking, so that an exit between the two is not taken for one more try.
    const hadExited = server.hasExited();
    const answer = await knock(place, SILENT_LIMIT_MS);
    if (answer.kind === "up") return answer;
    if (hadExited) throw unusable(place, `did not start: ${await readLogTail(place)}`);
    await delay(POLL_MS);
  }
  throw unusable(place, "did not answer after its start");
}

/** Under the lock, so that nobody joins between the look at who is there and the end. */
async function leaveServer({ client, pid }: ServerUp, place: ManagedPlace): Promise<void> {
  await withFolderLock({ folder: place.folder, waitMs: LEAVE_LOCK_WAIT_MS }, async () => {
    if (!(await isAloneAt(client))) return;
    await client.shutdown().catch(() => undefined);
    if ((await waitForExit(pid, STOP_LIMIT_MS)) === "alive") throw unusable(place, "did not end");
  });
}
