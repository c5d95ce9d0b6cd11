import type { Cluster, Redis } from "ioredis";
import type { Log } from "../core/log.ts";
import { closeClient, cutClient } from "./close-client.ts";
import { logErrors, type Presence, watchPresence } from "./presence.ts";
import { checkServer, readServerLives } from "./server-check.ts";
import { withinLimit } from "./time-limit.ts";
import {
  createClient,
  duplicateOf,
  hasAllMasters,
  mastersOf,
  nameOf,
  type RedisTopology,
} from "./topology.ts";
import { waitUntilReady } from "./wait-until-ready.ts";

/** A connection that reconnects by itself; commands wait while Redis is away. */
export type RedisClient = Redis | Cluster;

/** Which Redis, and how to meet it. */
export interface RedisConnectOptions {
  readonly topology: RedisTopology;
  /** How long a Redis that does not answer is waited for (10 s). */
  readonly waitMs?: number;
  /** Accept a server that may evict keys. */
  readonly force: boolean;
  readonly log: Log;
}

/** An open Redis. Whoever opened it closes it. */
export interface RedisHandle extends Presence {
  /** For everything but blocking commands. Safe to hand to BullMQ, which then does not close it. */
  readonly client: RedisClient;
  /** For messages, without credentials. */
  readonly name: string;
  /** Whether every server that holds our keys answers within the time. */
  answers(limitMs: number): Promise<boolean>;
  /**
   * Names the lives of the servers that hold our keys: another text after one was started anew or
   * replaced. Empty where that is not told.
   */
  lives(): Promise<string>;
  /** A further connection, for XREAD BLOCK and the like; closed with the handle. */
  duplicateForBlocking(): RedisClient;
  /** Ends all connections and rejects what waits on them; within about 3 s even while Redis is away. */
  close(): Promise<void>;
}

const WAIT_MS = 10_000;
const CLOSE_LIMIT_MS = 2_000;

/**
 * Opens a Redis, waits until it is usable, and checks that it can be trusted with a run.
 * @throws OnboardError exit 5 when it does not answer in time; exit 2 when the URL, password,
 * certificate, version or eviction policy is wrong, which waiting does not mend.
 */
export async function connectRedis(options: RedisConnectOptions): Promise<RedisHandle> {
  const { topology, log, force } = options;
  const name = nameOf(topology);
  const client = createClient(topology);
  logErrors(client, log);
  try {
    await waitUntilReady(client, { topology, name, waitMs: options.waitMs ?? WAIT_MS });
    await checkServer(client, { name, force, log });
  } catch (error) {
    await closeClient(client, CLOSE_LIMIT_MS);
    throw error;
  }
  return createHandle(client, name, log);
}

function createHandle(client: RedisClient, name: string, log: Log): RedisHandle {
  const watch = watchPresence(client, log);
  const duplicates = new Set<RedisClient>();
  let closed: Promise<void> | undefined;
  const closeAll = async (): Promise<void> => {
    watch.stop();
    await Promise.all([
      closeClient(client, CLOSE_LIMIT_MS),
      ...Array.from(duplicates, (duplicate) => cutClient(duplicate, CLOSE_LIMIT_MS)),
    ]);
  };
  return {
    client,
    name,
    answers: (limitMs) => answers(client, limitMs),
    lives: () => readServerLives(client),
    isAway: () => watch.isAway(),
    onAway: (listener) => watch.onAway(listener),
    onBack: (listener) => watch.onBack(listener),
    duplicateForBlocking: () => {
      const duplicate = duplicateOf(client);
      logErrors(duplicate, log);
      duplicates.add(duplicate);
      duplicate.once("end", () => duplicates.delete(duplicate));
      return duplicate;
    },
    close: () => (closed ??= closeAll()),
  };
}

async function answers(client: RedisClient, limitMs: number): Promise<boolean> {
  if (client.status !== "ready" || !hasAllMasters(client)) return false;
  const pings = Promise.all(mastersOf(client).map((node) => node.ping())).catch(() => "refused");
  const end = await withinLimit(pings, limitMs);
  return end.kind === "done" && end.value !== "refused";
}
