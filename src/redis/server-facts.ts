import type { Redis } from "ioredis";
import type { RedisClient } from "./connect.ts";
import { parseInfo } from "./server-check.ts";
import { mastersOf } from "./topology.ts";

/** What a server would do with a run's data; undefined where the account may not ask. */
export interface ServerFacts {
  readonly version: string | undefined;
  /** `maxmemory-policy`. */
  readonly evictionPolicy: string | undefined;
  /** What is left of the data when the server is started again. */
  readonly persistence: "append-only file" | "snapshots" | "none" | undefined;
}

/** One server, or each master of a Cluster. */
export async function readServerFacts(client: RedisClient): Promise<readonly ServerFacts[]> {
  return Promise.all(mastersOf(client).map(readFacts));
}

async function readFacts(server: Redis): Promise<ServerFacts> {
  const info = parseInfo(await server.info().catch(() => ""));
  const policy = info.get("maxmemory_policy") ?? (await readSetting(server, "maxmemory-policy"));
  return {
    version: info.get("redis_version"),
    evictionPolicy: policy,
    persistence: await readPersistence(server, info.get("aof_enabled")),
  };
}

async function readPersistence(
  server: Redis,
  aofEnabled: string | undefined,
): Promise<ServerFacts["persistence"]> {
  if (aofEnabled === "1") return "append-only file";
  const save = await readSetting(server, "save");
  if (save === undefined) return undefined;
  return save === "" ? "none" : "snapshots";
}

async function readSetting(server: Redis, name: string): Promise<string | undefined> {
  try {
    const reply: unknown = await server.config("GET", name);
    return Array.isArray(reply) && typeof reply[1] === "string" ? reply[1] : undefined;
  } catch {
    return undefined;
  }
}
