import type { Cluster, Redis } from "ioredis";
import { withinLimit } from "./time-limit.ts";

/**
 * Ends a connection after the answers that are due, and rejects what else waits on it. Returns
 * within about `limitMs`, Redis there or not; never rejects.
 */
export async function closeClient(client: Redis | Cluster, limitMs: number): Promise<void> {
  if (client.status !== "ready") {
    await cutClient(client, limitMs);
    return;
  }
  const ended = whenEnded(client);
  client.quit().catch(ignore);
  if ((await withinLimit(ended, limitMs)).kind === "late") client.disconnect();
}

/** As closeClient, but waits for no answer: for a connection that hangs in a blocking command. */
export async function cutClient(client: Redis | Cluster, limitMs: number): Promise<void> {
  if (client.status === "end") return;
  const ended = whenEnded(client);
  const isBetweenAttempts = client.status === "reconnecting";
  client.disconnect();
  if (isBetweenAttempts) endByOneLastAttempt(client);
  if ((await withinLimit(ended, limitMs)).kind === "late") client.disconnect();
}

/**
 * Between two attempts ioredis' disconnect() only clears its timer: 'end' never comes, and queued
 * commands stay pending for ever. One last attempt, after which it does not reconnect, ends both.
 */
function endByOneLastAttempt(client: Redis | Cluster): void {
  client.once("ready", () => client.disconnect());
  client.connect().catch(ignore);
}

function whenEnded(client: Redis | Cluster): Promise<void> {
  return new Promise((resolve) => {
    client.once("end", () => resolve());
  });
}

function ignore(): void {
  // The connection is being given up; how it ends is of no interest.
}
