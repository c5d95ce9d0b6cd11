import { abortReason } from "../core/abort.ts";
import { errorText } from "../core/errors.ts";
import { createFarClock } from "../core/far-clock.ts";
import type { Log } from "../core/log.ts";
import type { RedisClient } from "./connect.ts";
import type { Script } from "./script.ts";
import { loadScript } from "./script.ts";

export type CallKind = "send" | "poll";

/** How fast a run may call its agent, per second; the agent's slowest run counts for all. */
export interface CallRates {
  readonly sendPerSecond: number;
  readonly pollPerSecond: number;
  readonly totalPerSecond?: number;
}

/** A time at which one call may be made. */
export interface Slot {
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
  /** How far away it was when it was reserved. */
  readonly waitMs: number;
  /** Distance of the slots at this rate. */
  readonly intervalMs: number;
  /** Which connection to Redis gave it: one that starts anew may have forgotten it. */
  readonly connection: number;
}

/** What the gate knows about the agent. Times are ms of this host's clock. */
export interface AgentCondition {
  /** Since when nobody has had an answer; undefined while the agent is well. */
  readonly awaySinceMs: number | undefined;
  readonly nextTryAtMs: number | undefined;
}

/** Paced a little under the limit, so that the agent's own clock and the network cannot make it more. */
const PACE = 0.985;
/** Later slots are not reserved: they would be lost when the process ends or the gate closes. */
const HORIZON_MS = 1_000;
const MAX_SLOTS_AT_ONCE = 64;

interface Waiter {
  readonly rates: CallRates;
  readonly grant: (slot: Slot) => void;
}

interface Line {
  readonly kind: CallKind;
  readonly waiters: Waiter[];
  isAsking: boolean;
  timer: NodeJS.Timeout | undefined;
}

interface Grant {
  readonly awaySince: string;
  readonly againInMs: number;
  /** When the slots were counted from, on Redis' clock. */
  readonly redisNowMs: number;
  readonly waitsMs: readonly number[];
}

interface GateQueueDeps {
  readonly client: RedisClient;
  readonly key: string;
  readonly concurrency: number;
  readonly log: Log;
}

/**
 * The callers of this process in order, one line a kind of call. It asks Redis for as many slots as
 * there are callers and places in this process, and hands them out.
 */
export class GateQueue {
  condition: AgentCondition = { awaySinceMs: undefined, nextTryAtMs: undefined };

  private readonly deps: GateQueueDeps;
  private readonly acquire: Script;
  private readonly lines: Readonly<Record<CallKind, Line>> = {
    send: { kind: "send", waiters: [], isAsking: false, timer: undefined },
    poll: { kind: "poll", waiters: [], isAsking: false, timer: undefined },
  };
  private places: number;
  /** When the last good answer came that Redis was not told of, on the clock of `performance.now()`. */
  private goodAtMs: number | undefined;
  private isTroubled = false;
  private isStopped = false;
  /** Counts on each time that the connection, or one to a node of a Cluster, is lost. */
  private connection = 0;
  private readonly onLost = (): void => {
    this.connection += 1;
  };
  /** Redis' clock, seen from `performance.now()`; this host's until Redis has told its own. */
  private readonly redisClock = createFarClock(Date.now() - performance.now());

  constructor(deps: GateQueueDeps) {
    this.deps = deps;
    this.acquire = loadScript(deps.client, "gate-acquire");
    this.places = deps.concurrency;
    deps.client.on("close", this.onLost).on("-node", this.onLost);
  }

  /** Whether Redis can be expected to know a slot still, and not to give its time to somebody else. */
  isKnown(slot: Slot): boolean {
    return slot.connection === this.connection;
  }

  /** @throws the signal's reason when it is aborted first */
  reserve(kind: CallKind, rates: CallRates, signal: AbortSignal): Promise<Slot> {
    const line = this.lines[kind];
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        const index = line.waiters.indexOf(waiter);
        if (index !== -1) line.waiters.splice(index, 1);
        reject(abortReason(signal));
      };
      const grant = (slot: Slot): void => {
        signal.removeEventListener("abort", abort);
        resolve(slot);
      };
      const waiter: Waiter = { rates, grant };
      if (signal.aborted) {
        abort();
        return;
      }
      signal.addEventListener("abort", abort, { once: true });
      line.waiters.push(waiter);
      void this.pump(line);
    });
  }

  /** Polls first: their tasks are paid for. */
  freePlace(): void {
    this.places += 1;
    void this.pump(this.lines.poll);
    void this.pump(this.lines.send);
  }

  /** Takes in a good answer; tells whether Redis must know it at once. */
  noteGood(): boolean {
    this.goodAtMs = performance.now();
    return this.isTroubled;
  }

  noteTrouble(): void {
    this.isTroubled = true;
  }

  /** ms since the last good answer that this was not asked about yet; empty when there was none. */
  takeGood(): string {
    const { goodAtMs } = this;
    this.goodAtMs = undefined;
    return goodAtMs === undefined ? "" : (performance.now() - goodAtMs).toFixed(3);
  }

  /** @param awaySince ms on Redis' clock, empty while the agent is well */
  noteCondition(awaySince: string, againInMs: number): void {
    this.isTroubled = awaySince !== "";
    this.condition = this.isTroubled
      ? {
          awaySinceMs: this.hostMs(Number(awaySince)),
          nextTryAtMs: Date.now() + againInMs,
        }
      : { awaySinceMs: undefined, nextTryAtMs: undefined };
  }

  redisNowMs(): number {
    return this.redisClock.toFarMs(performance.now());
  }

  /** A moment of Redis' clock as ms since the epoch on this host's. */
  private hostMs(redisMs: number): number {
    return Math.round(Date.now() + this.redisClock.toOwnMs(redisMs) - performance.now());
  }

  stop(): void {
    this.isStopped = true;
    this.deps.client.off("close", this.onLost).off("-node", this.onLost);
    for (const line of Object.values(this.lines)) clearTimeout(line.timer);
  }

  private async pump(line: Line): Promise<void> {
    const wanted = Math.min(line.waiters.length, this.places, MAX_SLOTS_AT_ONCE);
    if (line.isAsking || line.timer !== undefined || wanted <= 0 || this.isStopped) return;
    line.isAsking = true;
    this.places -= wanted;
    let granted = 0;
    let againInMs = HORIZON_MS;
    try {
      const intervalMs = slowestIntervalMs(line);
      const grant = await this.ask(line, wanted, intervalMs);
      granted = this.handOut(line, grant, intervalMs);
      // An open gate is asked again as soon as a slot comes into reach.
      againInMs = grant.againInMs - (grant.awaySince === "" ? HORIZON_MS : 0);
    } catch (error) {
      // Redis is away or full: the callers keep their turn.
      this.deps.log.debug("gate.unreachable", { error: errorText(error) });
    }
    line.isAsking = false;
    this.places += wanted - granted;
    if (granted === wanted) void this.pump(line);
    else if (line.waiters.length > 0) this.pumpLater(line, againInMs);
  }

  private pumpLater(line: Line, delayMs: number): void {
    if (this.isStopped) return;
    line.timer = setTimeout(
      () => {
        line.timer = undefined;
        void this.pump(line);
      },
      Math.min(HORIZON_MS, Math.max(1, delayMs)),
    );
  }

  private async ask(line: Line, wanted: number, intervalMs: number): Promise<Grant> {
    const good = this.takeGood();
    const askedAtMs = performance.now();
    const [, awaySince = "", againIn, redisNow, ...waits] = await this.acquire(
      [this.deps.key],
      [line.kind, wanted, HORIZON_MS, intervalMs, slowestTotalMs(line), good],
    );
    const redisNowMs = Number(redisNow);
    const answeredAtMs = performance.now();
    this.redisClock.note({ askedAtMs, answeredAtMs, farMs: redisNowMs });
    const againInMs = Number(againIn);
    this.noteCondition(awaySince, againInMs);
    return { awaySince, againInMs, redisNowMs, waitsMs: waits.map(Number) };
  }

  /**
   * Slots are moments of Redis' clock: an answer that was late on its way does not move them.
   *
   * @returns how many callers got a slot; one may have gone while Redis was asked
   */
  private handOut(line: Line, { waitsMs, redisNowMs }: Grant, intervalMs: number): number {
    const readAtMs = this.redisClock.toOwnMs(redisNowMs);
    const { connection } = this;
    const served = line.waiters.splice(0, waitsMs.length);
    for (const [index, waiter] of served.entries()) {
      const waitMs = waitsMs[index] ?? 0;
      waiter.grant({ atMs: readAtMs + waitMs, waitMs, intervalMs, connection });
    }
    return served.length;
  }
}

function slowestIntervalMs({ kind, waiters }: Line): number {
  const perSecond = waiters.map(({ rates }) =>
    kind === "send" ? rates.sendPerSecond : rates.pollPerSecond,
  );
  return 1000 / (Math.min(...perSecond) * PACE);
}

/** 0 when no waiting run bounds all its calls together. */
function slowestTotalMs({ waiters }: Line): number {
  const perSecond = Math.min(
    ...waiters.map(({ rates }) => rates.totalPerSecond ?? Number.POSITIVE_INFINITY),
  );
  return perSecond === Number.POSITIVE_INFINITY ? 0 : 1000 / (perSecond * PACE);
}
