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
export class SendHold {
  private state: SendState = "free";
  private readonly blocks = new Set<symbol>();
  private readonly held = new Set<() => void>();
  private readonly waits = new Set<AbortController>();

  set(state: SendState): void {
    this.state = state;
    if (this.isTakenBack()) for (const wait of this.waits) wait.abort();
    this.resumeWhenDecided();
  }

  /** There is room for one more send; what an operator or a stop has said still holds. */
  noteRoom(): void {
    if (this.state === "full") this.set("free");
  }

  /** Holds everybody who would be free until the function that it gives is called. */
  block(): () => void {
    const block = Symbol("block");
    this.blocks.add(block);
    return () => {
      this.blocks.delete(block);
      this.resumeWhenDecided();
    };
  }

  /**
   * Resolves when sending is free, or has ended for good.
   *
   * @throws the signal's reason when it is aborted first
   */
  async untilDecided(signal: AbortSignal): Promise<"free" | "ended"> {
    for (;;) {
      const decided = this.decided();
      if (decided !== undefined) return decided;
      await untilResumed(this.held, signal);
    }
  }

  /** Begins a wait that the signal ends, or the taking back of leave. */
  beginWait(signal: AbortSignal): SendWait {
    const wait = new AbortController();
    const abort = (): void => wait.abort(abortReason(signal));
    this.waits.add(wait);
    signal.addEventListener("abort", abort, { once: true });
    if (signal.aborted) abort();
    else if (this.isTakenBack()) wait.abort();
    return {
      signal: wait.signal,
      end: () => {
        this.waits.delete(wait);
        signal.removeEventListener("abort", abort);
      },
    };
  }

  private isTakenBack(): boolean {
    return this.state === "paused" || this.state === "ended";
  }

  private decided(): "free" | "ended" | undefined {
    if (this.state === "free" && this.blocks.size === 0) return "free";
    return this.state === "ended" ? "ended" : undefined;
  }

  private resumeWhenDecided(): void {
    if (this.decided() === undefined) return;
    for (const resume of this.held) resume();
    this.held.clear();
  }
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
