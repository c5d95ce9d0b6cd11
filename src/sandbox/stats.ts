import type { FaultDecision } from "./faults.ts";
import type { EffectKind, RpcMethod } from "./options.ts";
import { createSlidingWindow } from "./sliding-window.ts";
import type { TaskCounts } from "./task-store.ts";

/** What the agent was asked and what it did; the document of `GET /stats`. */
export interface SandboxStats {
  readonly calls: Readonly<Record<RpcMethod | "card", number>>;
  /** Distinct tasks made. */
  readonly tasks: number;
  /** Tasks that are still being worked on. */
  readonly open: number;
  /** Tasks that a fault made the agent forget. */
  readonly lostTasks: number;
  /** State without prefix -> tasks that came to it; INPUT_REQUIRED and unknown states are among them. */
  readonly ends: Readonly<Record<string, number>>;
  /** SendMessage calls with a messageId seen before. */
  readonly repeatedMessageIds: number;
  /** Messages that were answered without a task. */
  readonly directMessages: number;
  /** Follow-up messages to tasks that waited for one. */
  readonly followUps: number;
  /** Calls that got a fault instead of their answer. */
  readonly errorsInjected: number;
  /** Fault kind -> how often it struck. */
  readonly faults: Readonly<Partial<Record<EffectKind, number>>>;
  /** Sends refused by the limit. */
  readonly throttled: number;
  /** Requests without the right key, the card included. */
  readonly unauthorized: number;
  /** Calls refused as such: version, extension, envelope, method, parameters. */
  readonly refused: number;
  /** The most SendMessage arrivals in any second, both ends included; exact. */
  readonly maxSendPerSecond: number;
  /** The most calls that were being answered at one time. */
  readonly maxInFlight: number;
  /** ISO 8601 UTC; null before the first send. */
  readonly firstSendAt: string | null;
  readonly lastSendAt: string | null;
}

type Counter =
  | "repeatedMessageIds"
  | "directMessages"
  | "followUps"
  | "errorsInjected"
  | "throttled"
  | "unauthorized"
  | "refused";

const SECOND_MS = 1000;

function toIso(atMs: number | undefined): string | null {
  return atMs === undefined ? null : new Date(atMs).toISOString();
}

/** Arrival times of sends; only the last second of them is kept. */
class SendClock {
  readonly #window = createSlidingWindow(SECOND_MS);
  #most = 0;
  #firstAtMs: number | undefined;
  #lastAtMs: number | undefined;

  arrive(): void {
    this.#most = Math.max(this.#most, this.#window.add(performance.now()));
    this.#lastAtMs = Date.now();
    this.#firstAtMs ??= this.#lastAtMs;
  }

  snapshot(): Pick<SandboxStats, "maxSendPerSecond" | "firstSendAt" | "lastSendAt"> {
    return {
      maxSendPerSecond: this.#most,
      firstSendAt: toIso(this.#firstAtMs),
      lastSendAt: toIso(this.#lastAtMs),
    };
  }
}

/** Keeps the counts; its memory does not grow with them. */
export class StatsRecorder {
  readonly #calls = { SendMessage: 0, GetTask: 0, CancelTask: 0, card: 0 };
  readonly #counters: Record<Counter, number> = {
    repeatedMessageIds: 0,
    directMessages: 0,
    followUps: 0,
    errorsInjected: 0,
    throttled: 0,
    unauthorized: 0,
    refused: 0,
  };
  readonly #faults: Partial<Record<EffectKind, number>> = {};
  readonly #sends = new SendClock();
  #inFlight = 0;
  #maxInFlight = 0;

  /** Counts a call; gives its 1-based index among those of the method. */
  call(method: RpcMethod): number {
    this.#calls[method] += 1;
    if (method === "SendMessage") {
      this.#sends.arrive();
    }
    return this.#calls[method];
  }

  card(): void {
    this.#calls.card += 1;
  }

  count(counter: Counter): void {
    this.#counters[counter] += 1;
  }

  /** Counts every fault that was decided for a call. */
  decide({ delayMs, answer, task }: FaultDecision): void {
    if (delayMs > 0) {
      this.#strike("slow");
    }
    if (answer !== undefined) {
      this.#strike(answer.kind);
      this.count("errorsInjected");
    }
    for (const effect of task) {
      this.#strike(effect.kind);
    }
  }

  /** An answer is begun. */
  enter(): void {
    this.#inFlight += 1;
    this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight);
  }

  /** An answer is over. */
  leave(): void {
    this.#inFlight -= 1;
  }

  snapshot({ tasks, open, lost, ends }: TaskCounts): SandboxStats {
    return {
      calls: { ...this.#calls },
      tasks,
      open,
      lostTasks: lost,
      ends,
      ...this.#counters,
      faults: { ...this.#faults },
      ...this.#sends.snapshot(),
      maxInFlight: this.#maxInFlight,
    };
  }

  #strike(kind: EffectKind): void {
    this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
  }
}
