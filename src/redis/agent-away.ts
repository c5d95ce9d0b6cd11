import type { RedisClient } from "./connect.ts";

/** An agent that counts as away to everybody; times are ms since the epoch, of Redis' clock. */
export interface AgentAway {
  readonly sinceMs: number;
  /** When the next call may be tried. */
  readonly nextTryAtMs: number;
}

/**
 * How an agent's gate stands.
 *
 * @param gate the agent's gate key
 * @returns undefined while the agent is there
 */
export async function readAgentAway(
  client: RedisClient,
  gate: string,
): Promise<AgentAway | undefined> {
  const times = await client.hmget(gate, "openSince", "probeAt", "closedUntil");
  const [sinceMs = 0, probeAtMs = 0, closedUntilMs = 0] = times.map(Number);
  return sinceMs > 0 ? { sinceMs, nextTryAtMs: Math.max(probeAtMs, closedUntilMs) } : undefined;
}

/** Redis' own time, ms since the epoch: heartbeats are told in it. */
export async function readRedisNowMs(client: RedisClient): Promise<number> {
  const [seconds, microseconds] = await client.time();
  return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000);
}
