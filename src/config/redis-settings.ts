import { z } from "zod";
import { quoteValue } from "./faults.ts";
import { list, text, yesNo } from "./readers.ts";

/** A port on a host, as sockets take it: an IPv6 address without its brackets. */
export interface HostPort {
  readonly host: string;
  readonly port: number;
}

/** Files of a TLS connection as given, relative to the working directory. */
interface TlsFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

interface RedisAccount {
  /** Undefined: Redis' default user, unless a URL names one. */
  readonly user?: string;
}

/** Which Redis was set. Passwords are no settings, but a URL may hold one. */
export type RedisSettings =
  | { readonly kind: "managed" }
  | (RedisAccount & { readonly kind: "url"; readonly url: string; readonly tls?: TlsFiles })
  | (RedisAccount & {
      readonly kind: "sentinels";
      readonly sentinels: readonly HostPort[];
      /** What the Sentinels call the group of servers. */
      readonly name: string;
      readonly sentinelUser?: string;
      /** Undefined: no TLS. */
      readonly tls?: TlsFiles;
    })
  | (RedisAccount & {
      readonly kind: "cluster";
      readonly nodes: readonly HostPort[];
      /** Undefined: no TLS. */
      readonly tls?: TlsFiles;
    });

/** How the settings of Redis are read. */
export const REDIS_READERS = {
  "redis.url": text(urlProblem),
  "redis.sentinels.hosts": hostPorts(26_379).optional(),
  "redis.sentinels.name": text().optional(),
  "redis.sentinels.user": text().optional(),
  "redis.cluster": hostPorts(6_379).optional(),
  "redis.user": text().optional(),
  "redis.tls.enabled": yesNo().optional(),
  "redis.tls.caFile": text().optional(),
  "redis.tls.certFile": text().optional(),
  "redis.tls.keyFile": text().optional(),
};

type RedisKey = keyof typeof REDIS_READERS;
/** The settings of Redis as read, before they are one thing. */
type RedisValues = { readonly "redis.url": string } & {
  readonly [Key in Exclude<RedisKey, "redis.url">]?: z.output<(typeof REDIS_READERS)[Key]>;
};

/**
 * Looks for what cannot be meant together.
 *
 * @yields the setting to blame, and why
 */
export function* redisContradictions(
  values: RedisValues,
): Generator<readonly [RedisKey, string], void> {
  const hosts = values["redis.sentinels.hosts"];
  const name = values["redis.sentinels.name"];
  const isElsewhere = hosts !== undefined || values["redis.cluster"] !== undefined;
  if (hosts !== undefined && name === undefined) {
    yield [
      "redis.sentinels.hosts",
      "needs redis.sentinels.name, what the Sentinels call the group",
    ];
  }
  if (hosts === undefined && name !== undefined) {
    yield ["redis.sentinels.name", "needs redis.sentinels.hosts"];
  }
  if (hosts !== undefined && values["redis.cluster"] !== undefined) {
    yield ["redis.cluster", "contradicts redis.sentinels"];
  }
  if (isElsewhere && values["redis.url"] !== "managed") {
    yield ["redis.url", "contradicts redis.sentinels or redis.cluster"];
  }
  yield* tlsContradictions(values, isElsewhere);
}

function* tlsContradictions(
  values: RedisValues,
  isElsewhere: boolean,
): Generator<readonly [RedisKey, string], void> {
  const isPlain = values["redis.url"].startsWith("redis:") && !isElsewhere;
  if (isPlain && tlsOf(values) !== undefined) {
    yield ["redis.url", "must begin with rediss:// for redis.tls to be of use"];
  }
  if (values["redis.tls.enabled"] === false && hasFiles(toFiles(values))) {
    yield ["redis.tls.enabled", "contradicts the files of redis.tls"];
  }
  const isHalf =
    (values["redis.tls.certFile"] === undefined) !== (values["redis.tls.keyFile"] === undefined);
  if (isHalf) yield ["redis.tls.certFile", "and redis.tls.keyFile are set together or not at all"];
}

/** The Redis that is meant by settings without contradictions. */
export function toRedis(values: RedisValues): RedisSettings {
  const tls = tlsOf(values);
  const user = values["redis.user"];
  const rest = { ...(user === undefined ? {} : { user }), ...(tls === undefined ? {} : { tls }) };
  const { "redis.sentinels.hosts": sentinels, "redis.cluster": nodes, "redis.url": url } = values;
  if (sentinels !== undefined) {
    const sentinelUser = values["redis.sentinels.user"];
    const name = values["redis.sentinels.name"] ?? "";
    const login = sentinelUser === undefined ? {} : { sentinelUser };
    return { kind: "sentinels", sentinels, name, ...login, ...rest };
  }
  if (nodes !== undefined) return { kind: "cluster", nodes, ...rest };
  return url === "managed" ? { kind: "managed" } : { kind: "url", url, ...rest };
}

function tlsOf(values: RedisValues): TlsFiles | undefined {
  const files = toFiles(values);
  return values["redis.tls.enabled"] === true || hasFiles(files) ? files : undefined;
}

function toFiles(values: RedisValues): TlsFiles {
  const { "redis.tls.caFile": caFile, "redis.tls.certFile": certFile } = values;
  const keyFile = values["redis.tls.keyFile"];
  return {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
}

function hasFiles(files: TlsFiles): boolean {
  return Object.keys(files).length > 0;
}

/** A list of `host:port`; at least one. */
function hostPorts(defaultPort: number): z.ZodType<readonly HostPort[]> {
  return list().transform((items, context) => {
    const read = items.map((item) => parseHostPort(item, defaultPort));
    const bad = items.find((_, index) => read[index] === undefined);
    if (bad === undefined && items.length > 0) return read.filter((one) => one !== undefined);
    const found = bad === undefined ? "an empty list" : quoteValue(withoutLogin(bad));
    context.addIssue(`must be a list of host:port, such as redis-1:${defaultPort}, not ${found}`);
    return z.NEVER;
  });
}

function parseHostPort(item: string, defaultPort: number): HostPort | undefined {
  const [, bracketed, plain, port = String(defaultPort)] =
    /^(?:\[([\da-fA-F:.]+)\]|([\w.-]+))(?::(\d{1,5}))?$/.exec(item) ?? [];
  const host = bracketed ?? plain;
  const isPort = Number(port) >= 1 && Number(port) <= 65_535;
  return host === undefined || !isPort ? undefined : { host, port: Number(port) };
}

/** Whoever writes a whole URL here may have written a password into it. */
function withoutLogin(item: string): string {
  return item.replace(/[^/]*@/, "***@");
}

/** Says nothing about the value itself: it may hold a password. */
function urlProblem(value: string): string | undefined {
  if (value === "managed") return undefined;
  const url = URL.canParse(value) ? new URL(value) : undefined;
  const isRedis = url?.protocol === "redis:" || url?.protocol === "rediss:";
  return isRedis && url.hostname !== ""
    ? undefined
    : "must be a redis:// or rediss:// URL or the word managed";
}
