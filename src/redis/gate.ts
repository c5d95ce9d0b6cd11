import { setTimeout as delay } from "node:timers/promises";
import { abortReason } from "../core/abort.ts";
import type { Log } from "../core/log.ts";
import type { RedisClient } from "./connect.ts";
import type { AgentCondition, CallKind, CallRates, Slot } from "./gate-queue.ts";
import { GateQueue } from "./gate-queue.ts";
import type { Script } from "./script.ts";
import { loadScript } from "./script.ts";

/** Leave for one call. */
export interface Pass {
  /**
   * Waits for the reserved slot; asks for another one when it was missed, Redis may have forgotten it,
   * or the gate closed in the meantime, so that neither a stall nor a restart turns into a burst.
   */
  ready(): Promise<void>;
  /** Gives the place in this process back; always to be called. */
  release(): void;
}

export type CallReport =
  | { readonly kind: "good" }
  | { readonly kind: "failed"; readonly rowKey: string }
  | { readonly kind: "unwritten"; readonly rowKey: string }
  | { readonly kind: "throttled"; readonly retryAfterMs: number | undefined };

/** What a report came to. */
export interface ReportResult {
  /** Whether the agent counts as away to everybody now. */
  readonly away: boolean;
  /** The streak of failures that this one belongs to; empty for anything else. */
  readonly streak: string;
  /** How long ago the agent was away to everybody until then; infinite when nobody knows of it. */
  readonly awayAgoMs: number;
}

export interface CallGateDeps {
  readonly client: RedisClient;
  /** The agent's gate key. */
  readonly key: string;
  /** Calls in flight in this process, all runs together. */
  readonly concurrency: number;
  readonly log: Log;
}

/** After a longer wait the gate may have been closed by another process. */
const RECHECK_AFTER_MS = 50;
/** A slot missed by more than this (or its interval) is given up. */
const MIN_LATENESS_MS = 20;
const PROBE_EVERY_MS = 1_000;

const NOTHING_REPORTED: ReportResult = {
  away: false,
  streak: "",
  awayAgoMs: Number.POSITIVE_INFINITY,
};

/**
 * The door to one agent for all runs of this process: rate gate, breaker and the bound of calls in
 * flight. Slots come from Redis, where all processes reserve them in one bucket.
 */
export class CallGate {
  /** Good answers so far. */
  answers = 0;

  private readonly client: RedisClient;
  private readonly key: string;
  private readonly outagesKey: string;
  private readonly reportScript: Script;
  private readonly queue: GateQueue;

  constructor(deps: CallGateDeps) {
    this.client = deps.client;
    this.key = deps.key;
    this.outagesKey = `${deps.key}:outages`;
    this.reportScript = loadScript(deps.client, "gate-report");
    this.queue = new GateQueue(deps);
  }

  /** @throws the signal's reason when it is aborted first */
  async enter(kind: CallKind, rates: CallRates, signal: AbortSignal): Promise<Pass> {
    let slot = await this.queue.reserve(kind, rates, signal);
    let holdsPlace = true;
    const release = (): void => {
      if (!holdsPlace) return;
      holdsPlace = false;
      this.queue.freePlace();
    };
    const ready = async (): Promise<void> => {
      for (let missed = 0; ; missed += 1) {
        await sleepUntil(slot.atMs, signal);
        const isGood = this.queue.isKnown(slot) && isPunctual(slot, missed);
        if (isGood && (await this.isOpenFor(slot))) return;
        release();
        slot = await this.queue.reserve(kind, rates, signal);
        holdsPlace = true;
      }
    };
    return { ready, release };
  }

  /** Tells the breaker how a call went. A good answer costs nothing while all is well. */
  async report(report: CallReport): Promise<ReportResult> {
    if (report.kind === "good") return this.reportGood();
    const retryAfterMs = report.kind === "throttled" ? report.retryAfterMs : undefined;
    const rowKey = report.kind === "throttled" ? "" : report.rowKey;
    const result = await this.tellRedis(report.kind, rowKey, retryAfterMs);
    this.queue.noteTrouble();
    return result;
  }

  private async reportGood(): Promise<ReportResult> {
    this.answers += 1;
    return this.queue.noteGood() ? this.tellRedis("good", "", undefined) : NOTHING_REPORTED;
  }

  private async tellRedis(
    kind: CallReport["kind"],
    rowKey: string,
    retryAfterMs: number | undefined,
  ): Promise<ReportResult> {
    const [awaySince = "", streak = "", awayAgoMs = ""] = await this.reportScript(
      [this.key, this.outagesKey],
      [kind, rowKey, retryAfterMs ?? "", this.queue.takeGood()],
    );
    this.queue.noteCondition(awaySince, PROBE_EVERY_MS);
    return {
      away: awaySince !== "",
      streak,
      awayAgoMs: awayAgoMs === "" ? Number.POSITIVE_INFINITY : Number(awayAgoMs),
    };
  }

  /** Which of these streaks turned out to be outages, so that their attempts do not count. */
  async findOutages(streaks: readonly string[]): Promise<ReadonlySet<string>> {
    const scores = await this.client.zmscore(this.outagesKey, ...streaks);
    return new Set(streaks.filter((_, index) => scores[index] !== null));
  }

  condition(): AgentCondition {
    return this.queue.condition;
  }

  stop(): void {
    this.queue.stop();
  }

  /** Whether a slot may still be used now that its time has come. */
  private async isOpenFor(slot: Slot): Promise<boolean> {
    if (slot.waitMs <= RECHECK_AFTER_MS) return true;
    const [closedUntil, openSince] = await this.client.hmget(this.key, "closedUntil", "openSince");
    return (openSince ?? "") === "" && Number(closedUntil ?? 0) <= this.queue.redisNowMs();
  }
}

/** More is allowed with each miss: giving slots up for ever would stand still on a busy host. */
function isPunctual(slot: Slot, missed: number): boolean {
  const allowedMs = Math.max(MIN_LATENESS_MS, slot.intervalMs) * 2 ** missed;
  return performance.now() - slot.atMs <= allowedMs;
}

/** @throws the signal's reason when it is aborted first */
async function sleepUntil(atMs: number, signal: AbortSignal): Promise<void> {
  const delayMs = atMs - performance.now();
  if (delayMs <= 0) return;
  try {
    await delay(delayMs, undefined, { signal });
  } catch {
    throw abortReason(signal);
  }
}
