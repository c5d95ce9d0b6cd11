import { abortReason } from "../core/abort.ts";

/**
 * Keeps senders of one run out of the gate's queue while the run may not send: paused, too much
 * uncollected, too many open tasks. Redis has the last word; this only saves the asking.
 */
export interface SendHold {
  set(held: boolean): void;
  /** Holds everybody, whatever `set` says, until the function that it gives is called. */
  block(): () => void;
  /** @throws the signal's reason when it is aborted first */
  untilFree(signal: AbortSignal): Promise<void>;
}

export function createSendHold(): SendHold {
  let held = false;
  const blocks = new Set<symbol>();
  const waiting = new Set<() => void>();
  const isFree = (): boolean => !held && blocks.size === 0;

  function resumeWhenFree(): void {
    if (!isFree()) return;
    for (const resume of waiting) resume();
    waiting.clear();
  }

  return {
    set(next) {
      held = next;
      resumeWhenFree();
    },
    block() {
      const block = Symbol("block");
      blocks.add(block);
      return () => {
        blocks.delete(block);
        resumeWhenFree();
      };
    },
    untilFree(signal) {
      if (isFree()) return Promise.resolve();
      return new Promise((resolve, reject) => {
        function resume(): void {
          signal.removeEventListener("abort", abort);
          resolve();
        }
        function abort(): void {
          waiting.delete(resume);
          reject(abortReason(signal));
        }
        if (signal.aborted) {
          abort();
          return;
        }
        waiting.add(resume);
        signal.addEventListener("abort", abort, { once: true });
      });
    },
  };
}
