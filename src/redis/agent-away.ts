import type { RedisClient } from "./connect.ts";

/**
 * Since when an agent is away to everybody, ms since the epoch in Redis' time; undefined while it is
 * there.
 *
 * @param gate the agent's gate key
 */
export async function readAwaySinceMs(
  client: RedisClient,
  gate: string,
): Promise<number | undefined> {
  const openSince = Number(await client.hget(gate, "openSince"));
  return openSince > 0 ? openSince : undefined;
}

/** Redis' own time, ms since the epoch: heartbeats are told in it. */
export async function readRedisNowMs(client: RedisClient): Promise<number> {
  const [seconds, microseconds] = await client.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}
