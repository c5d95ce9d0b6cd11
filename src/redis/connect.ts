import { Redis } from "ioredis";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Log } from "../core/log.ts";
import { closeClient, cutClient } from "./close-client.ts";
import { connectionErrorText, errorCode } from "./error-code.ts";
import { logErrors, type Presence, watchPresence } from "./presence.ts";
import { clientName } from "./process-identity.ts";
import { parseRedisUrl, type RedisAddress } from "./redis-url.ts";
import { checkServer } from "./server-check.ts";

/** A connection that reconnects by itself; commands wait while Redis is away. */
export type RedisClient = Redis;

/** Which Redis, and how to meet it. */
export interface RedisConnectOptions {
  /** `redis://`, `rediss://` or `unix:///path`. */
  readonly url: string;
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
  /** The URL without credentials. */
  readonly name: string;
  /** A further connection, for XREAD BLOCK and the like; closed with the handle. */
  duplicateForBlocking(): RedisClient;
  /** Ends all connections and rejects what waits on them; within about 3 s even while Redis is away. */
  close(): Promise<void>;
}

const WAIT_MS = 10_000;
const CLOSE_LIMIT_MS = 2_000;

const CONNECTION_OPTIONS = {
  // The default backs off to 20 s in BullMQ and 5 s here: deaf for as long after an outage.
  retryStrategy: (attemptCount: number) => Math.min(100 * attemptCount, 1_000),
  // BullMQ demands it: commands wait for Redis to come back instead of failing.
  maxRetriesPerRequest: null,
  connectTimeout: 5_000,
  disconnectTimeout: 500,
} as const;

/**
 * Opens a Redis, waits until it is usable, and checks that it can be trusted with a run.
 * @throws OnboardError exit 5 when it does not answer in time; exit 2 when the URL, password,
 * certificate, version or eviction policy is wrong, which waiting does not mend.
 */
export async function connectRedis(options: RedisConnectOptions): Promise<RedisHandle> {
  const { log, force } = options;
  const address = parseRedisUrl(options.url);
  const client = new Redis(address.target, {
    ...CONNECTION_OPTIONS,
    connectionName: clientName(),
  });
  logErrors(client, log);
  try {
    await waitUntilReady(client, address, options.waitMs ?? WAIT_MS);
    await checkServer(client, { name: address.name, force, log });
  } catch (error) {
    await closeClient(client, CLOSE_LIMIT_MS);
    throw error;
  }
  return createHandle(client, address, log);
}

function createHandle(client: Redis, address: RedisAddress, log: Log): RedisHandle {
  const watch = watchPresence(client, log);
  const duplicates = new Set<Redis>();
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
    name: address.name,
    isAway: () => watch.isAway(),
    onAway: (listener) => watch.onAway(listener),
    onBack: (listener) => watch.onBack(listener),
    duplicateForBlocking: () => {
      const duplicate = client.duplicate();
      logErrors(duplicate, log);
      duplicates.add(duplicate);
      duplicate.once("end", () => duplicates.delete(duplicate));
      return duplicate;
    },
    close: () => (closed ??= closeAll()),
  };
}

async function waitUntilReady(client: Redis, address: RedisAddress, waitMs: number): Promise<void> {
  let lastError: unknown;
  await new Promise<void>((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      client.off("ready", onReady).off("error", onError);
      settle();
    };
    const onReady = (): void => finish(resolve);
    const onError = (error: unknown): void => {
      lastError = error;
      const refusal = computeRefusal(error, address);
      if (refusal !== undefined) finish(() => reject(refusal));
    };
    const timer = setTimeout(
      () => finish(() => reject(unanswered({ address, waitMs, lastError }))),
      waitMs,
    );
    client.on("ready", onReady).on("error", onError);
  });
}

/** Errors that no waiting mends. */
function computeRefusal(error: unknown, { name }: RedisAddress): OnboardError | undefined {
  const text = connectionErrorText(error);
  const refuse = (message: string, hint: string): OnboardError =>
    new OnboardError(EXIT.usage, message, { hint, cause: error });
  if (/^(WRONGPASS|NOAUTH|NOPERM)\b|invalid password/.test(text)) {
    return refuse(
      `the Redis at ${name} refuses the user or password`,
      "write them into the URL, percent-encoded: redis://user:password@host:6379, or redis://:password@host:6379",
    );
  }
  if (/DB index/.test(text)) {
    return refuse(
      `the Redis at ${name} has no such database`,
      "the number after the host's / is the database; 0 always exists",
    );
  }
  if (/CERT|_TLS_|_SSL_|^EPROTO$/.test(errorCode(error) ?? "")) {
    return refuse(
      `no trusted TLS connection to the Redis at ${name}: ${text}`,
      "check that the server speaks TLS (rediss://) and that its certificate is trusted (NODE_EXTRA_CA_CERTS)",
    );
  }
  return undefined;
}

interface Unanswered {
  readonly address: RedisAddress;
  readonly waitMs: number;
  readonly lastError: unknown;
}

function unanswered({ address, waitMs, lastError }: Unanswered): OnboardError {
  const reason = lastError === undefined ? "no answer" : connectionErrorText(lastError);
  return new OnboardError(
    EXIT.unavailable,
    `the Redis at ${address.name} did not answer within ${waitMs / 1_000} s (${reason})`,
    {
      hint: "start it, or name another with --redis; --redis managed starts a private one on this machine",
      cause: lastError,
    },
  );
}
