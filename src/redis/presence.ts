import type { Cluster, Redis } from "ioredis";
import type { Log } from "../core/log.ts";
import { connectionErrorText } from "./error-code.ts";

/** Tells whether a Redis that has once answered is there now. */
export interface Presence {
  isAway(): boolean;
  /** Calls the listener each time the connection is lost; gives the function that ends this. */
  onAway(listener: () => void): () => void;
  /** Calls the listener each time it is usable again; gives the function that ends this. */
  onBack(listener: () => void): () => void;
}

/** A Presence for whoever opened the connection. */
export interface PresenceWatch extends Presence {
  /** From here on a lost connection is meant, and nobody is told. */
  stop(): void;
}

/** While Redis is away every attempt fails: one line at first, then one each half minute. */
const QUIET_MS = 30_000;

/** Follows a connection that is ready now, and writes its comings and goings into the log. */
export function watchPresence(client: Redis | Cluster, log: Log): PresenceWatch {
  const away = new Set<() => void>();
  const back = new Set<() => void>();
  let awayAtMs: number | undefined;
  const onClose = (): void => {
    if (awayAtMs !== undefined) return;
    awayAtMs = performance.now();
    log.warn("redis.away");
    for (const listener of away) listener();
  };
  const onReady = (): void => {
    if (awayAtMs === undefined) return;
    log.info("redis.back", { awayMs: Math.round(performance.now() - awayAtMs) });
    awayAtMs = undefined;
    for (const listener of back) listener();
  };
  // A Cluster stays while one of its nodes goes and comes, or is replaced.
  const onNode = (): void => {
    for (const listener of back) listener();
  };
  client.on("close", onClose).on("ready", onReady).on("+node", onNode);
  return {
    isAway: () => client.status !== "ready",
    onAway: (listener) => subscribe(away, listener),
    onBack: (listener) => subscribe(back, listener),
    stop: () => {
      client.off("close", onClose).off("ready", onReady).off("+node", onNode);
    },
  };
}

/** Listens to a connection's errors, without which one would end the process, and logs few of them. */
export function logErrors(client: Redis | Cluster, log: Log): void {
  let quietUntilMs = 0;
  let suppressedCount = 0;
  const onError = (error: unknown): void => {
    if (performance.now() < quietUntilMs) {
      suppressedCount += 1;
      return;
    }
    log.warn("redis.error", { reason: connectionErrorText(error), suppressedCount });
    quietUntilMs = performance.now() + QUIET_MS;
    suppressedCount = 0;
  };
  // A Cluster tells of one node's trouble by a name of its own, and goes on.
  client.on("error", onError).on("node error", onError);
}

function subscribe(listeners: Set<() => void>, listener: () => void): () => void {
  // A wrapper of its own, so that the same function may listen twice.
  const own = (): void => listener();
  listeners.add(own);
  return () => {
    listeners.delete(own);
  };
}
