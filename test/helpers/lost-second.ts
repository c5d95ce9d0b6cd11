import { readdir, stat, truncate } from "node:fs/promises";
import path from "node:path";
import type { PrivateRedis } from "./redis-for-tests.ts";

/** A point in a server's append-only file to which a power cut can set it back. */
export interface AofMark {
  readonly file: string;
  readonly sizeBytes: number;
}

/** Remembers how far the append-only file of a durable server has got. */
export async function markAof({ dir }: PrivateRedis): Promise<AofMark> {
  const folder = path.join(dir, "appendonlydir");
  const name = (await readdir(folder)).find((one) => one.endsWith(".incr.aof"));
  if (name === undefined) throw new Error(`no append-only file in ${folder}`);
  const file = path.join(folder, name);
  return { file, sizeBytes: (await stat(file)).size };
}

/** A power cut that takes everything after the mark, though it was acknowledged; then a new start. */
export async function loseSince(redis: PrivateRedis, mark: AofMark): Promise<void> {
  await redis.kill();
  await truncate(mark.file, mark.sizeBytes);
  await redis.restart();
}
