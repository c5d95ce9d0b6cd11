import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";

/** Where a Redis is, in the form ioredis takes, and a name for it that may be shown. */
export interface RedisAddress {
  /** `redis://…`, `rediss://…` or the absolute path of a socket. */
  readonly target: string;
  /** The URL without credentials and query. */
  readonly name: string;
}

const SOCKET_SCHEME = "unix://";

/** The URL of a server that listens on a socket file; `path` is absolute. */
export function socketUrl(path: string): string {
  return `${SOCKET_SCHEME}${path}`;
}

/**
 * Reads `redis://`, `rediss://` and `unix:///path` URLs.
 * @throws OnboardError (exit 2) for anything else; the message never repeats the URL, it may hold a password.
 */
export function parseRedisUrl(url: string): RedisAddress {
  if (url.startsWith(SOCKET_SCHEME)) {
    return { target: url.slice(SOCKET_SCHEME.length), name: url };
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^rediss?:$/.test(parsed.protocol) || parsed.hostname === "") {
    throw new OnboardError(EXIT.usage, "the Redis URL cannot be read", {
      hint: "write --redis redis://host:6379, rediss://host:6379 or managed; special characters in a password are percent-encoded",
    });
  }
  const credentials = parsed.username === "" && parsed.password === "" ? "" : "***@";
  return {
    target: url,
    name: `${parsed.protocol}//${credentials}${parsed.host}${parsed.pathname}`,
  };
}
