import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { CallGate } from "../../src/redis/gate.ts";
import type { CallKind, CallRates } from "../../src/redis/gate-queue.ts";
import { gateKey } from "../../src/redis/keys.ts";
import { openTestRedis, SILENT } from "./run-for-tests.ts";

/** Rates that bound nothing. */
export const FAST: CallRates = { sendPerSecond: 1_000, pollPerSecond: 1_000 };
export const TWENTY: CallRates = { sendPerSecond: 20, pollPerSecond: 20 };
/** A signal that does not come. */
export const never = (): AbortSignal => new AbortController().signal;

/** The key of an agent that no other test calls. */
export const newKey = (): string => gateKey("http://127.0.0.1", randomUUID());

interface GateOptions {
  readonly key: string;
  readonly concurrency?: number;
  readonly url?: string;
}

/** A gate as another process would have it: with a connection of its own. */
export async function openGate({ key, concurrency = 64, url }: GateOptions) {
  const { client } = await openTestRedis(url);
  const gate = new CallGate({ client, key, concurrency, log: SILENT });
  onTestFinished(() => gate.stop());
  return { gate, client };
}

/** Two processes at the gate of one agent. */
export async function openTwoGates(concurrency = 64) {
  const key = newKey();
  const first = await openGate({ key, concurrency });
  const second = await openGate({ key, concurrency });
  return { key, client: first.client, gates: [first.gate, second.gate] as const };
}

interface Calls {
  readonly rates: CallRates;
  readonly kind?: CallKind;
  readonly signal: AbortSignal;
  /** When calls were let through, ms. */
  readonly grants: number[];
  readonly callers?: number;
}

/** Calls without end until the signal comes; resolves when every caller has given up. */
async function callOn(gate: CallGate, calls: Calls): Promise<void> {
  const { rates, signal, grants, kind = "send", callers = 5 } = calls;
  async function caller(): Promise<void> {
    while (!signal.aborted) {
      try {
        const entered = await gate.enter(kind, rates, signal);
        await entered.ready().finally(() => entered.release());
        grants.push(performance.now());
      } catch (error) {
        if (error !== signal.reason) throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, caller));
}

/** Calls through all gates at once for a time; when calls were let through, sorted. */
export async function callFor(
  ms: number,
  gates: readonly CallGate[],
  calls: Omit<Calls, "signal">,
) {
  const ending = new AbortController();
  const calling = gates.map((gate) => callOn(gate, { ...calls, signal: ending.signal }));
  await delay(ms);
  ending.abort();
  await Promise.all(calling);
  return calls.grants.toSorted((a, b) => a - b);
}

/** One call; when it was let through. */
export async function pass(gate: CallGate, kind: CallKind = "send", rates = FAST): Promise<number> {
  const entered = await gate.enter(kind, rates, never());
  await entered.ready();
  entered.release();
  return performance.now();
}

/** The most of these times that lie within any one second. */
export function mostInAnySecond(sorted: readonly number[]): number {
  return Math.max(
    0,
    ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 1_000).length),
  );
}

/** The rate that was kept up. */
export function perSecond(sorted: readonly number[]): number {
  return ((sorted.length - 1) * 1_000) / ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0));
}

/** Reports a failed call of each row. */
export async function failFor(gate: CallGate, rows: readonly number[]) {
  let last = { away: false, streak: "", awayAgoMs: Number.POSITIVE_INFINITY };
  for (const row of rows) last = await gate.report({ kind: "failed", rowKey: `run/${row}` });
  return last;
}

export const TEN_ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
export const FIVE_ROWS_TWICE = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5];
