import type { Cluster, Redis } from "ioredis";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Log } from "../core/log.ts";
import { notPermitted } from "./connection-refusal.ts";
import { RUNS_KEY } from "./keys.ts";
import { isNewEnough, OLDEST_SERVER, parseServerVersion } from "./server-version.ts";
import { mastersOf } from "./topology.ts";

/** What a check needs to know about the server beside its connection. */
export interface ServerCheck {
  /** The server's name for messages, without credentials. */
  readonly name: string;
  /** Go on with a server that may evict keys. */
  readonly force: boolean;
  readonly log: Log;
}

/**
 * Refuses a server that is too old or that may throw keys away under memory pressure: a lost key
 * is a lost or a twice paid row. What the account may not ask is warned about instead.
 * @throws OnboardError (exit 2)
 */
export async function checkServer(client: Redis | Cluster, check: ServerCheck): Promise<void> {
  // Each node of a Cluster has a version and a policy of its own.
  const servers = mastersOf(client);
  for (const server of servers) {
    const facts = await readInfo(server, check.log);
    if (server === client) await checkMode(server, facts.get("redis_mode"), check);
    checkVersion(facts.get("redis_version"), check);
    checkPolicy(facts.get("maxmemory_policy") ?? (await readPolicy(server)), check);
  }
  await checkAccess(client, check);
}

/** An account without our keys would be noticed only in the middle of the work. */
async function checkAccess(client: Redis | Cluster, { name }: ServerCheck): Promise<void> {
  try {
    await client.zcard(RUNS_KEY);
    await client.eval("return 1", 0);
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("NOPERM")) throw error;
    throw notPermitted(name, error);
  }
}

/** A URL must not lead to a Sentinel, nor to one of several nodes, which serves its own keys only. */
async function checkMode(
  server: Redis,
  mode: string | undefined,
  check: ServerCheck,
): Promise<void> {
  if (mode === "sentinel") {
    throw new OnboardError(EXIT.usage, `the server at ${check.name} is a Sentinel`, {
      hint: "write it into redis.sentinels.hosts of the configuration file instead",
    });
  }
  if (mode === "cluster" && (await countMasters(server)) > 1) {
    throw new OnboardError(EXIT.usage, `the Redis at ${check.name} is a node of a Cluster`, {
      hint: "write it into redis.cluster of the configuration file instead",
    });
  }
}

/** 1 where the account may not ask. */
async function countMasters(server: Redis): Promise<number> {
  try {
    return Number(parseInfo(await server.cluster("INFO")).get("cluster_size") ?? "1");
  } catch {
    return 1;
  }
}

/** The run ids of all masters as one text; empty when the account may not ask for them. */
export async function readServerLives(client: Redis | Cluster): Promise<string> {
  try {
    const texts = await Promise.all(mastersOf(client).map((server) => server.info("server")));
    const ids = texts.map((text) => parseInfo(text).get("run_id") ?? "");
    return ids.toSorted().join(" ");
  } catch {
    return "";
  }
}

/** Reads an INFO reply's `name:value` lines. */
export function parseInfo(text: string): ReadonlyMap<string, string> {
  const facts = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (colon > 0 && !line.startsWith("#")) facts.set(line.slice(0, colon), line.slice(colon + 1));
  }
  return facts;
}

function checkVersion(text: string | undefined, { name, log }: ServerCheck): void {
  const version = text === undefined ? undefined : parseServerVersion(text);
  if (version === undefined) {
    log.warn("redis.version-unknown");
    return;
  }
  if (isNewEnough(version)) return;
  throw new OnboardError(EXIT.usage, `the Redis at ${name} has version ${version.text}, too old`, {
    hint: `use Redis ${OLDEST_SERVER} or later, or Valkey`,
  });
}

function checkPolicy(policy: string | undefined, { name, force, log }: ServerCheck): void {
  if (policy === "noeviction") return;
  if (policy === undefined) {
    log.warn("redis.eviction-policy-unknown");
    return;
  }
  if (force) {
    log.warn("redis.may-evict-keys", { policy });
    return;
  }
  throw new OnboardError(
    EXIT.usage,
    `the Redis at ${name} may throw keys away (maxmemory-policy is ${policy})`,
    {
      hint: "set it with: redis-cli CONFIG SET maxmemory-policy noeviction (and in redis.conf or the provider's console); --force goes on all the same",
    },
  );
}

async function readInfo(client: Redis, log: Log): Promise<ReadonlyMap<string, string>> {
  try {
    return parseInfo(await client.info());
  } catch (error) {
    log.warn("redis.info-refused", { reason: errorText(error) });
    return new Map();
  }
}

async function readPolicy(client: Redis): Promise<string | undefined> {
  try {
    const reply: unknown = await client.config("GET", "maxmemory-policy");
    return Array.isArray(reply) && typeof reply[1] === "string" ? reply[1] : undefined;
  } catch {
    return undefined;
  }
}
