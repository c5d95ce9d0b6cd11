/** A Redis or Valkey server's version, in the numbering of Redis' protocol. */
export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  readonly text: string;
}

/**
 * The oldest server that everything here runs on: BullMQ is made for 6.2 and later.
 * A Valkey reports the Redis version it is compatible with (7.2.4) besides its own.
 */
export const OLDEST_SERVER = "6.2";

/** Reads `7.0.15`; undefined when the text is no version. */
export function parseServerVersion(text: string): ServerVersion | undefined {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(text.trim()) ?? [];
  if (major === undefined || minor === undefined) return undefined;
  return { major: Number(major), minor: Number(minor), text: text.trim() };
}

/** Reads what `redis-server --version` prints: `Redis server v=7.0.15 sha=…`, `Valkey server v=8.0.1 …`. */
export function parseVersionLine(line: string): ServerVersion | undefined {
  const [, version] = /\bv=(\S+)/.exec(line) ?? [];
  return version === undefined ? undefined : parseServerVersion(version);
}

/** Whether the server is not older than OLDEST_SERVER. */
export function isNewEnough(version: ServerVersion): boolean {
  return version.major > 6 || (version.major === 6 && version.minor >= 2);
}
