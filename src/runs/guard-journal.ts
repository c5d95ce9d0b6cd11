import { setTimeout as delay } from "node:timers/promises";
import { errorText } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { RedisHandle } from "../redis/connect.ts";

export interface JournalGuardDeps {
  readonly redis: Pick<RedisHandle, "isAway" | "onAway" | "onBack" | "lives">;
  readonly log: Log;
  /** Marks as done what the journal has. */
  readonly restore: () => Promise<void>;
  /** Lets no send begin until the function that it gives is called. */
  readonly blockSends: () => () => void;
}

const RETRY_MS = 500;

/**
 * A Redis that was started anew or replaced may have lost its last second, and with it outcomes that
 * the journal has: they are marked again before this process sends anything.
 *
 * @returns what ends the watching
 */
export async function guardJournal(deps: JournalGuardDeps): Promise<() => void> {
  const { redis, log } = deps;
  let knownLives = await redis.lives();
  let unblock: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  const stopped = new AbortController();

  async function look(): Promise<void> {
    while (!stopped.signal.aborted && !redis.isAway()) {
      try {
        const lives = await redis.lives();
        if (lives === "" || lives !== knownLives) {
          log.warn("redis.may-have-forgotten");
          await deps.restore();
          knownLives = lives;
        }
        free();
        return;
      } catch (error) {
        log.warn("journal.not-restored", { error: errorText(error) });
        await delay(RETRY_MS);
      }
    }
  }

  function free(): void {
    unblock?.();
    unblock = undefined;
  }

  const forgetAway = redis.onAway(() => {
    unblock ??= deps.blockSends();
  });
  const forgetBack = redis.onBack(() => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
  });
  return () => {
    stopped.abort();
    forgetAway();
    forgetBack();
    free();
  };
}
