import { createHash } from "node:crypto";
import { chmod, lstat, mkdir, readlink, realpath, rm, symlink } from "node:fs/promises";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { errorCode } from "./error-code.ts";

/** Where a managed server lives. */
export interface ManagedPlace {
  /** The real, absolute path of its folder: data, log, pid file, lock. */
  readonly folder: string;
  /** The path it listens on and is reached at; at most MAX_SOCKET_PATH_BYTES long. */
  readonly socketPath: string;
}

/** unix(7) allows 108 bytes with the final 0, macOS 104. */
const MAX_SOCKET_PATH_BYTES = 100;

const SOCKET_FILE = "redis.sock";

/**
 * Makes the folder, for this user alone. Where it is too deep for a socket path, the socket is
 * reached through a short link below the temporary folder; the file itself stays in the folder, so
 * that processes with different temporary folders still meet.
 * @throws OnboardError exit 5 when the folders cannot be made or belong to somebody else.
 */
export async function preparePlace(stateDir: string): Promise<ManagedPlace> {
  try {
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    await chmod(stateDir, 0o700);
    const folder = await realpath(stateDir);
    const direct = join(folder, SOCKET_FILE);
    if (Buffer.byteLength(direct) <= MAX_SOCKET_PATH_BYTES) return { folder, socketPath: direct };
    return { folder, socketPath: join(await linkFolder(folder), SOCKET_FILE) };
  } catch (error) {
    if (error instanceof OnboardError) throw error;
    throw new OnboardError(
      EXIT.unavailable,
      `the folder of the managed Redis cannot be used: ${errorText(error)}`,
      { hint: `make ${stateDir} writable for you, or name a Redis with --redis`, cause: error },
    );
  }
}

async function linkFolder(folder: string): Promise<string> {
  const own = join(shortTemporaryFolder(), `onboard-batch-${userInfo().uid}`);
  await mkdir(own, { recursive: true, mode: 0o700 });
  await checkOwner(own);
  const link = join(own, createHash("sha256").update(folder).digest("hex").slice(0, 16));
  await ensureLink(folder, link);
  return link;
}

function shortTemporaryFolder(): string {
  const longestTailBytes = 60;
  const isShort = Buffer.byteLength(tmpdir()) + longestTailBytes <= MAX_SOCKET_PATH_BYTES;
  return isShort ? tmpdir() : "/tmp";
}

/** In a folder that all may write to, anyone could have put this name first. */
async function checkOwner(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isDirectory() && stats.uid === userInfo().uid && (stats.mode & 0o077) === 0) return;
  throw new OnboardError(EXIT.unavailable, `${path} is not a folder for you alone`, {
    hint: `remove it (rm -r ${path}), or name a Redis with --redis`,
  });
}

async function ensureLink(target: string, link: string): Promise<void> {
  if ((await readlink(link).catch(() => undefined)) === target) return;
  await rm(link, { force: true, recursive: true });
  try {
    await symlink(target, link);
  } catch (error) {
    // Another process was quicker; the name is made of the target, so its link is the same.
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
