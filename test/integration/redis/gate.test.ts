import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { CallGate } from "../../../src/redis/gate.ts";
import type { CallKind, CallRates } from "../../../src/redis/gate-queue.ts";
import { gateKey } from "../../../src/redis/keys.ts";
import { startPrivateRedis } from "../../helpers/redis-for-tests.ts";
import { openTestRedis, SILENT } from "../../helpers/run-for-tests.ts";

const FAST: CallRates = { sendPerSecond: 1_000, pollPerSecond: 1_000 };
const TWENTY: CallRates = { sendPerSecond: 20, pollPerSecond: 20 };
const never = (): AbortSignal => new AbortController().signal;

const newKey = (): string => gateKey("http://127.0.0.1", randomUUID());

interface GateOptions {
  readonly key: string;
  readonly concurrency?: number;
  readonly url?: string;
}

/** A gate as another process would have it: with a connection of its own. */
async function openGate({ key, concurrency = 64, url }: GateOptions) {
  const { client } = await openTestRedis(url);
  const gate = new CallGate({ client, key, concurrency, log: SILENT });
  onTestFinished(() => gate.stop());
  return { gate, client };
}

async function openTwoGates(concurrency = 64) {
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
        const pass = await gate.enter(kind, rates, signal);
        await pass.ready().finally(() => pass.release());
        grants.push(performance.now());
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
  }
  await Promise.all(Array.from({ length: callers }, caller));
}

async function callFor(ms: number, gates: readonly CallGate[], calls: Omit<Calls, "signal">) {
  const ending = new AbortController();
  const calling = gates.map((gate) => callOn(gate, { ...calls, signal: ending.signal }));
  await delay(ms);
  ending.abort();
  await Promise.all(calling);
  return calls.grants.toSorted((a, b) => a - b);
}

async function pass(gate: CallGate, kind: CallKind = "send", rates = FAST): Promise<number> {
  const entered = await gate.enter(kind, rates, never());
  await entered.ready();
  entered.release();
  return performance.now();
}

function mostInAnySecond(sorted: readonly number[]): number {
  return Math.max(
    0,
    ...sorted.map((from) => sorted.filter((at) => at >= from && at < from + 1_000).length),
  );
}

function perSecond(sorted: readonly number[]): number {
  return ((sorted.length - 1) * 1_000) / ((sorted.at(-1) ?? 0) - (sorted[0] ?? 0));
}

async function failFor(gate: CallGate, rows: readonly number[]) {
  let last = { away: false, streak: "" };
  for (const row of rows) last = await gate.report({ kind: "failed", rowKey: `run/${row}` });
  return last;
}

const TEN_ROWS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
const FIVE_ROWS_TWICE = [1, 2, 3, 4, 5, 1, 2, 3, 4, 5];

describe("the rate", () => {
  test("two processes at 20 a second send at most 21 in any second and lose next to nothing", async () => {
    const { gates } = await openTwoGates();
    const sorted = await callFor(5_000, gates, { rates: TWENTY, grants: [] });
    expect(mostInAnySecond(sorted)).toBeLessThanOrEqual(21);
    expect(perSecond(sorted)).toBeGreaterThanOrEqual(0.97 * 20);
  });

  test("time in which nobody called is not made up for", async () => {
    const { gates } = await openTwoGates();
    await pass(gates[0], "send", TWENTY);
    await delay(1_000);
    const sorted = await callFor(600, gates, { rates: TWENTY, grants: [] });
    expect(sorted.length).toBeGreaterThan(8);
    expect(sorted.length).toBeLessThanOrEqual(13);
  });

  test("sends and polls have rates of their own", async () => {
    const { gates } = await openTwoGates();
    const rates = { sendPerSecond: 10, pollPerSecond: 40 };
    const [sends, polls] = await Promise.all([
      callFor(1_500, gates, { rates, grants: [] }),
      callFor(1_500, gates, { rates, kind: "poll", grants: [] }),
    ]);
    expect(mostInAnySecond(sends)).toBeLessThanOrEqual(11);
    expect(mostInAnySecond(polls)).toBeLessThanOrEqual(41);
    expect(polls.length).toBeGreaterThan(2 * sends.length);
  });

  test("a bound of all calls together holds for sends and polls", async () => {
    const { gates } = await openTwoGates();
    const grants: number[] = [];
    const rates = { ...FAST, totalPerSecond: 20 };
    await Promise.all([
      callFor(2_000, [gates[0]], { rates, grants }),
      callFor(2_000, [gates[1]], { rates, kind: "poll", grants }),
    ]);
    expect(mostInAnySecond(grants.toSorted((a, b) => a - b))).toBeLessThanOrEqual(21);
  });

  test("of two runs with different rates the lower one counts for both", async () => {
    const { gates } = await openTwoGates();
    const grants: number[] = [];
    const slow: CallRates = { sendPerSecond: 10, pollPerSecond: 10 };
    await Promise.all([
      callFor(2_000, [gates[0]], { rates: slow, grants }),
      callFor(2_000, [gates[1]], { rates: { ...FAST, sendPerSecond: 100 }, grants }),
    ]);
    const late = grants.toSorted((a, b) => a - b).slice(3);
    expect(mostInAnySecond(late)).toBeLessThanOrEqual(11);
  });
});

describe("throttling", () => {
  test("a Retry-After closes every gate, also for slots that were reserved before", async () => {
    const { gates } = await openTwoGates();
    const grants: number[] = [];
    const calling = callFor(4_500, gates, { rates: TWENTY, grants });
    await delay(500);
    await gates[0].report({ kind: "throttled", retryAfterMs: 3_000 });
    const closedAtMs = performance.now();
    const sorted = await calling;
    // A slot that is due within 50 ms is not asked about again.
    expect(sorted.filter((at) => at > closedAtMs + 60 && at < closedAtMs + 2_990)).toEqual([]);
    expect(sorted.filter((at) => at > closedAtMs + 2_990).length).toBeGreaterThan(10);
    expect(mostInAnySecond(sorted)).toBeLessThanOrEqual(21);
  });

  test("a lenient answer does not open what a strict one has closed", async () => {
    const { gates } = await openTwoGates();
    await gates[0].report({ kind: "throttled", retryAfterMs: 1_200 });
    const closedAtMs = performance.now();
    await gates[1].report({ kind: "throttled", retryAfterMs: 10 });
    await gates[1].report({ kind: "throttled", retryAfterMs: undefined });
    expect((await pass(gates[1])) - closedAtMs).toBeGreaterThan(1_190);
  });

  test("an agent that names no time is given a second, and two at the second refusal", async () => {
    const { gates, client, key } = await openTwoGates();
    const waitMs = async (): Promise<number> => {
      const [seconds, micros] = await client.time();
      const closedUntil = Number(await client.hget(key, "closedUntil"));
      return closedUntil - Number(seconds) * 1_000 - Number(micros) / 1_000;
    };
    await gates[0].report({ kind: "throttled", retryAfterMs: undefined });
    await gates[1].report({ kind: "throttled", retryAfterMs: undefined });
    expect(await waitMs()).toSatisfy((ms: number) => ms > 900 && ms <= 1_000);
    await pass(gates[0]);
    await gates[0].report({ kind: "throttled", retryAfterMs: undefined });
    expect(await waitMs()).toSatisfy((ms: number) => ms > 1_900 && ms <= 2_000);
  });

  test("an agent that is away and throttling is not even probed before its time", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS);
    await gates[0].report({ kind: "throttled", retryAfterMs: 2_000 });
    const closedAtMs = performance.now();
    expect((await pass(gates[1])) - closedAtMs).toBeGreaterThan(1_990);
  });
});

describe("the breaker", () => {
  test("it opens at the tenth failure in a row of at least five rows", async () => {
    const { gates } = await openTwoGates();
    expect((await failFor(gates[0], FIVE_ROWS_TWICE.slice(0, 9))).away).toBe(false);
    expect((await failFor(gates[1], [5])).away).toBe(true);
    expect(gates[1].condition().awaySinceMs).toSatisfy(
      (sinceMs: number) => Math.abs(Date.now() - sinceMs) < 2_000,
    );
  });

  test("failures of few rows may be the rows' own fault", async () => {
    const { gates } = await openTwoGates();
    expect((await failFor(gates[0], Array.from({ length: 30 }, () => 1))).away).toBe(false);
    expect((await failFor(gates[0], [2, 3, 4])).away).toBe(false);
    expect((await failFor(gates[0], [5])).away).toBe(true);
  });

  test("rows of runs with the longest names are told apart all the same", async () => {
    const { gates } = await openTwoGates();
    let away = false;
    for (const row of TEN_ROWS) {
      const rowKey = `${"r".repeat(120)}/${row}`;
      ({ away } = await gates[0].report({ kind: "failed", rowKey }));
    }
    expect(away).toBe(true);
  });

  test("calls that never left count whatever the row", async () => {
    const { gates } = await openTwoGates();
    let away = false;
    for (let call = 1; call <= 10; call += 1) {
      expect(away).toBe(false);
      ({ away } = await gates[0].report({ kind: "unwritten", rowKey: "run/1" }));
    }
    expect(away).toBe(true);
  });

  test("a good answer in between begins the count anew", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS.slice(0, 9));
    await gates[0].report({ kind: "good" });
    expect((await failFor(gates[0], TEN_ROWS.slice(0, 9))).away).toBe(false);
  });

  test("while the agent is away one probe a second gets through, of all processes together", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS);
    const openedAtMs = performance.now();
    const sorted = await callFor(3_300, gates, { rates: FAST, grants: [] });
    expect(sorted.length).toBe(3);
    expect((sorted[0] ?? 0) - openedAtMs).toBeGreaterThan(990);
    expect(mostInAnySecond(sorted)).toBe(1);
  });

  test("probes keep to a rate of less than one a second", async () => {
    const { gates } = await openTwoGates();
    const slow = { sendPerSecond: 0.4, pollPerSecond: 0.4 };
    const firstAtMs = await pass(gates[0], "send", slow);
    await failFor(gates[0], TEN_ROWS);
    expect((await pass(gates[1], "send", slow)) - firstAtMs).toBeGreaterThan(2_490);
  });

  test("a probe that is answered opens the gate for everybody", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS);
    await pass(gates[0]);
    await gates[0].report({ kind: "good" });
    const sorted = await callFor(300, gates, { rates: FAST, grants: [] });
    expect(sorted.length).toBeGreaterThan(20);
    expect(gates[1].condition()).toEqual({ awaySinceMs: undefined, nextTryAtMs: undefined });
  });

  test("the attempts of a streak that was an outage are told, those of others are not", async () => {
    const { gates } = await openTwoGates();
    const { streak: harmless } = await failFor(gates[0], [1, 2]);
    await gates[0].report({ kind: "good" });
    const { streak: outage } = await failFor(gates[0], TEN_ROWS);
    expect(await gates[1].findOutages([harmless, outage])).toEqual(new Set([outage]));
  });

  test("a process with good answers tells them with the next failure, for they came between", async () => {
    const { gates } = await openTwoGates();
    await failFor(gates[0], TEN_ROWS.slice(0, 9));
    await gates[1].report({ kind: "good" });
    expect((await failFor(gates[1], [10])).away).toBe(false);
  });
});

describe("places in this process", () => {
  test("no more calls are in flight than there are places", async () => {
    const { gate } = await openGate({ key: newKey(), concurrency: 3 });
    let inFlight = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 30 }, async () => {
        const entered = await gate.enter("send", FAST, never());
        await entered.ready();
        inFlight += 1;
        most = Math.max(most, inFlight);
        await delay(10);
        inFlight -= 1;
        entered.release();
      }),
    );
    expect(most).toBe(3);
  });

  test("who gives up while waiting for a place leaves it to the others", async () => {
    const { gate } = await openGate({ key: newKey(), concurrency: 1 });
    const holder = await gate.enter("send", FAST, never());
    const giving = new AbortController();
    const given = gate.enter("send", FAST, giving.signal);
    giving.abort(new Error("no longer"));
    await expect(given).rejects.toThrow("no longer");
    holder.release();
    holder.release();
    await pass(gate);
  });

  test("who gives up before its slot has come frees the place", async () => {
    const { gate } = await openGate({ key: newKey(), concurrency: 1 });
    const slow = { sendPerSecond: 2, pollPerSecond: 1_000 };
    await pass(gate, "send", slow);
    const giving = new AbortController();
    const entered = await gate.enter("send", slow, giving.signal);
    const ready = entered.ready();
    giving.abort(new Error("no longer"));
    await expect(ready).rejects.toThrow("no longer");
    entered.release();
    await pass(gate, "poll", slow);
  });

  test("nobody gets in with a signal that has already come", async () => {
    const { gate } = await openGate({ key: newKey() });
    const reason = new Error("too late");
    await expect(gate.enter("send", FAST, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("when Redis is away", () => {
  test("callers keep their turn and go on when it is back", async () => {
    const redis = await startPrivateRedis();
    onTestFinished(() => redis.stop());
    const { gate } = await openGate({ key: newKey(), url: redis.url });
    await pass(gate);
    await redis.kill();
    const waiting = [pass(gate), pass(gate, "poll")];
    const giving = new AbortController();
    const given = gate.enter("send", FAST, giving.signal);
    giving.abort(new Error("no longer"));
    await expect(given).rejects.toThrow("no longer");
    await redis.restart();
    await Promise.all(waiting);
  });

  test("a Redis that takes no writes is asked again until it does", async () => {
    const redis = await startPrivateRedis();
    onTestFinished(() => redis.stop());
    const { gate, client } = await openGate({ key: newKey(), url: redis.url });
    await client.config("SET", "maxmemory", "1");
    let through = false;
    const waiting = pass(gate).then(() => {
      through = true;
    });
    await expect(client.set("key", "value")).rejects.toThrow("OOM");
    expect(through).toBe(false);
    await client.config("SET", "maxmemory", "0");
    await waiting;
  });
});
