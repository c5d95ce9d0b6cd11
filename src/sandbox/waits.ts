/** Waits that somebody can end early, so that nothing is left running when the agent stops. */
export interface Waits {
  /** Resolves after that time, or earlier by `wake(key)` or `stop()`. */
  wait(delayMs: number, key: string): Promise<void>;
  wake(key: string): void;
  /** Ends all waits; later ones end at once. */
  stop(): void;
}

// A longer delay than this overflows setTimeout's 32 bits and would fire at once.
const LONGEST_TIMER_MS = 2_147_483_647;

/** Timers by key; every one is cleared by `stop`. */
export function createWaits(): Waits {
  const waiting = new Map<string, Set<() => void>>();
  let stopped = false;

  function wait(delayMs: number, key: string): Promise<void> {
    if (stopped) {
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const enders = waiting.get(key) ?? new Set();
      waiting.set(key, enders);
      const end = (): void => {
        clearTimeout(timer);
        enders.delete(end);
        if (enders.size === 0) {
          waiting.delete(key);
        }
        resolve();
      };
      const timer = setTimeout(end, Math.min(delayMs, LONGEST_TIMER_MS));
      enders.add(end);
    });
  }

  function wake(key: string): void {
    for (const end of waiting.get(key) ?? []) {
      end();
    }
  }

  function stop(): void {
    stopped = true;
    for (const key of waiting.keys()) {
      wake(key);
    }
  }

  return { wait, wake, stop };
}
