import { lstat, readdir, readlink, rm, symlink } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { errorCode } from "./error-code.ts";
import { isSameAlive, ownIdentity, type ProcessIdentity } from "./process-identity.ts";

/*
 * A lock in generations, because a lock file that is removed when its holder looks dead can be
 * removed by two at once, the second time from under a living holder. Here nobody removes the
 * newest generation:
 *
 *   lock.7 -> "host pid start"   held while that process lives
 *   lock.8 -> "free"             its holder let go
 *
 * Whoever makes the next generation (symlink(2) makes it whole, and fails if it exists) holds the
 * lock. One that was so slow that newer generations have come and gone meanwhile finds them when it
 * looks again, and backs off. The holder sweeps up the older ones.
 */

/** Which folder, and how long to wait for another process. */
export interface FolderLock {
  readonly folder: string;
  readonly waitMs: number;
}

const NAME = /^lock\.(\d+)$/;
const FREE = "free";
const RETRY_MS = 20;
/** A holder on another host or in another container cannot be looked at; it is believed for so long. */
const FOREIGN_HOLD_MS = 60_000;

/**
 * Does `work` while no other process and no other caller does so in this folder.
 * @throws OnboardError exit 5 when the lock does not come free in time; whatever `work` throws.
 */
export async function withFolderLock<T>(lock: FolderLock, work: () => Promise<T>): Promise<T> {
  const generation = await acquire(lock);
  try {
    return await work();
  } finally {
    await symlink(FREE, pathOf(lock.folder, generation + 1)).catch(ignoreMissingFolder);
  }
}

async function acquire({ folder, waitMs }: FolderLock): Promise<number> {
  const me = formatIdentity(await ownIdentity());
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    const generation = await tryAcquire(folder, me);
    if (generation !== undefined) return generation;
    if (performance.now() > deadlineMs) {
      throw new OnboardError(EXIT.unavailable, `another process is busy in ${folder}`, {
        hint: "try again; the managed Redis is being started or stopped there",
      });
    }
    await delay(RETRY_MS);
  }
}

async function tryAcquire(folder: string, me: string): Promise<number | undefined> {
  const newest = await newestGeneration(folder);
  if (newest > 0 && (await isHeld(pathOf(folder, newest)))) return undefined;
  const mine = newest + 1;
  try {
    await symlink(me, pathOf(folder, mine));
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    throw error;
  }
  if ((await newestGeneration(folder)) !== mine) {
    await rm(pathOf(folder, mine), { force: true });
    return undefined;
  }
  await sweep(folder, mine);
  return mine;
}

async function isHeld(path: string): Promise<boolean> {
  const holder = await readlink(path).catch(() => undefined);
  if (holder === FREE) return false;
  const identity = holder === undefined ? undefined : parseIdentity(holder);
  // Swept away by the next holder, so there is one.
  if (identity === undefined) return true;
  if (identity.host === hostname()) return isSameAlive(identity);
  const stats = await lstat(path).catch(() => undefined);
  return stats !== undefined && Date.now() - stats.mtimeMs < FOREIGN_HOLD_MS;
}

async function newestGeneration(folder: string): Promise<number> {
  return Math.max(0, ...(await generations(folder)));
}

async function generations(folder: string): Promise<number[]> {
  const names = await readdir(folder);
  return names.flatMap((name) => {
    const [, digits] = NAME.exec(name) ?? [];
    return digits === undefined ? [] : [Number(digits)];
  });
}

async function sweep(folder: string, mine: number): Promise<void> {
  const older = (await generations(folder)).filter((generation) => generation < mine);
  await Promise.all(older.map((each) => rm(pathOf(folder, each), { force: true })));
}

function pathOf(folder: string, generation: number): string {
  return join(folder, `lock.${generation}`);
}

function formatIdentity({ host, pid, startedAt }: ProcessIdentity): string {
  return `${host} ${pid} ${startedAt}`;
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  const [, host, pid, startedAt] = /^(\S+) (\d+) (\S+)$/.exec(text) ?? [];
  if (host === undefined || pid === undefined || startedAt === undefined) return undefined;
  return { host, pid: Number(pid), startedAt };
}

function ignoreMissingFolder(error: unknown): void {
  // Nobody can wait for a lock in a folder that was removed meanwhile.
  if (!["ENOENT", "EEXIST"].includes(errorCode(error) ?? "")) throw error;
}
