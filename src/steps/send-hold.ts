import { abortReason } from "../core/abort.ts";

/** Whether a run may send; Redis has the last word, this only saves the asking in vain. */
export type SendState =
  | "free"
  /** Too much uncollected, or too many open tasks: what has leave goes on, the others wait. */
  | "full"
  /** By an operator: leave that is not used yet is given back. */
  | "paused"
  /** For good: leave is given back, and nobody waits for more. */
  | "ended";

/** The wait of one send for its moment, which ends early when its leave is taken back. */
interface SendWait {
  readonly signal: AbortSignal;
  /** Always to be called. */
  end(): void;
}

/** Keeps senders of one run out of the gate's queue while the run may not send. */
export interface SendHold {
  set(state: SendState): void;
  /** There is room for one more send; what an operator or a stop has said still holds. */
  noteRoom(): void;
  /** Holds everybody who would be free until the function that it gives is called. */
  block(): () => void;
  /**
   * Resolves when sending is free, or has ended for good.
   *
   * @throws the signal's reason when it is aborted first
   */
  untilDecided(signal: AbortSignal): Promise<"free" | "ended">;
  /** Begins a wait that the signal ends, or the taking back of leave. */
  beginWait(signal: AbortSignal): SendWait;
}

export function createSendHold(): SendHold {
  let state: SendState = "free";
  const held = new Set<() => void>();
  const waits = new Set<AbortController>();

  const blocks = new Set<symbol>();

  function decided(): "free" | "ended" | undefined {
    if (state === "free" && blocks.size === 0) return "free";
    return state === "ended" ? "ended" : undefined;
  }

  function resumeWhenDecided(): void {
    if (decided() === undefined) return;
    for (const resume of held) resume();
    held.clear();
  }

  function set(next: SendState): void {
    state = next;
    if (state === "paused" || state === "ended") for (const wait of waits) wait.abort();
    resumeWhenDecided();
  }

  return {
    set,
    noteRoom() {
      if (state === "full") set("free");
    },
    block() {
      const block = Symbol("block");
      blocks.add(block);
      return () => {
        blocks.delete(block);
        resumeWhenDecided();
      };
    },
    async untilDecided(signal) {
      for (;;) {
        const now = decided();
        if (now !== undefined) return now;
        await untilResumed(held, signal);
      }
    },
    beginWait(signal) {
      const wait = new AbortController();
      const abort = (): void => wait.abort(abortReason(signal));
      waits.add(wait);
      signal.addEventListener("abort", abort, { once: true });
      if (signal.aborted) abort();
      else if (state === "paused" || state === "ended") wait.abort();
      return {
        signal: wait.signal,
        end() {
          waits.delete(wait);
          signal.removeEventListener("abort", abort);
        },
      };
    },
  };
}

function untilResumed(held: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    function resume(): void {
      signal.removeEventListener("abort", abort);
      resolve();
    }
    function abort(): void {
      held.delete(resume);
      reject(abortReason(signal));
    }
    if (signal.aborted) {
      abort();
      return;
    }
    held.add(resume);
    signal.addEventListener("abort", abort, { once: true });
  });
}
