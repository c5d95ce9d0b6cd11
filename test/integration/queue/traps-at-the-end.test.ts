import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { Step, SubmitJob } from "../../../src/core/job.ts";
import { settleWhenDone } from "../../../src/runs/settle.ts";
import {
  Counter,
  createQueueHarness,
  noteRows,
  startDurableRedis,
  submitJob,
  trackJob,
} from "../../helpers/queue-harness.ts";
import { createTestRun, openTestRedis, testOutcome } from "../../helpers/run-for-tests.ts";

async function setupRun() {
  const harness = await createQueueHarness();
  const run = await createTestRun(harness.client, { total: 2 });
  const isDone = () => settleWhenDone({ record: run.record, queues: harness.queues });
  return { harness, run, isDone };
}

describe("T15: whether a run is done is the ledger's to say", () => {
  test("an empty queue settles nothing while a row has no outcome", async () => {
    const { harness, run, isDone } = await setupRun();
    await run.ledger.recordOutcome(testOutcome(1), 1, "");
    await run.client.xtrim(run.keys.results, "MAXLEN", 0);
    expect(await harness.queues.countWaitingSubmits()).toBe(0);
    expect(await isDone()).toBe(false);
  });

  test("jobs that are left over do not keep a run from settling", async () => {
    const { harness, run, isDone } = await setupRun();
    await harness.queues.addSubmits([submitJob(1)]);
    for (const row of [1, 2]) await run.ledger.recordOutcome(testOutcome(row), 1, "");
    await run.client.xtrim(run.keys.results, "MAXLEN", 0);
    expect(await isDone()).toBe(true);
    expect(await isDone()).toBe(true);
  });

  test("a stopping run with a send in somebody's hands waits for its answer", async () => {
    const { harness, run, isDone } = await setupRun();
    const started = new Counter();
    const answered = new Counter();
    harness.work<SubmitJob>("submit", async () => {
      started.add();
      await answered.until(1);
      return { kind: "done" };
    });
    await harness.queues.addSubmits([submitJob(1)]);
    await started.until(1);
    await run.record.stop("operator");
    expect(await isDone()).toBe(false);
    answered.add();
    await expect.poll(isDone).toBe(true);
    expect(await run.progress()).toMatchObject({ status: "canceled", unprocessed: 2 });
  });

  test("a run that Redis has forgotten is told, with how to go on", async () => {
    const { run, isDone } = await setupRun();
    await run.client.del(run.keys.progress);
    await expect(isDone()).rejects.toMatchObject({ exitCode: 5 });
  });
});

test("T12: thousands of jobs go away in slices, without holding up the others", async () => {
  const harness = await createQueueHarness();
  const other = await openTestRedis();
  const rows = Array.from({ length: 5_000 }, (_, row) => submitJob(row + 1));
  await harness.queues.addSubmits(rows);
  await harness.queues.addTrack(trackJob(1), 60_000);
  let longestMs = 0;
  const timer = new AbortController();
  async function watch(): Promise<void> {
    while (!timer.signal.aborted) {
      const startMs = performance.now();
      await other.client.ping();
      longestMs = Math.max(longestMs, performance.now() - startMs);
    }
  }
  const watching = watch();
  await harness.queues.obliterate();
  timer.abort();
  await watching;
  expect(longestMs).toBeLessThan(500);
  expect(await harness.client.keys(`${harness.prefix}:*`)).toEqual([]);
});

describe("stopping", () => {
  test("jobs in hand end, what only waits is broken off, and nothing more is taken", async () => {
    const harness = await createQueueHarness();
    const started = new Counter();
    const answered = new Counter();
    const signals: AbortSignal[] = [];
    const step: Step<SubmitJob> = async ({ data }, signal) => {
      started.add();
      signals.push(signal);
      if (data.row === 1) await answered.until(1);
      else await once(signal, "abort");
      if (data.row === 2) throw new Error("no more");
      return { kind: "done" };
    };
    const worker = harness.work("submit", step, 2);
    await harness.queues.addSubmits([submitJob(1), submitJob(2), submitJob(3)]);
    await started.until(2);
    const stopping = worker.stop("shutdown");
    expect(signals.every((signal) => signal.aborted)).toBe(true);
    answered.add();
    await stopping;
    expect(started.count).toBe(2);
    expect(harness.bugs).toEqual([]);
    expect(await harness.count("submit", "active")).toBe(0);
    expect(await harness.queues.countWaitingSubmits()).toBe(2);
  });

  test("stopping again, or before anything was taken, does no harm", async () => {
    const harness = await createQueueHarness();
    const worker = harness.work("submit", noteRows().step);
    await worker.stop("once");
    await worker.stop("twice");
    await harness.queues.addSubmits([submitJob(1)]);
    expect(await harness.queues.countWaitingSubmits()).toBe(1);
  });
});

describe("while Redis is away", () => {
  test("T18: a worker goes on within two seconds of its return", async () => {
    const redis = await startDurableRedis();
    const harness = await createQueueHarness(redis.url);
    const { rows, seen, step } = noteRows();
    harness.work("submit", step);
    await harness.queues.addSubmits([submitJob(1)]);
    await seen.until(1);
    await redis.kill();
    await delay(6_000);
    await redis.restart();
    const backMs = performance.now();
    await harness.queues.addSubmits([submitJob(2)]);
    await seen.until(2);
    expect(performance.now() - backMs).toBeLessThan(2_000);
    expect(rows).toEqual([1, 2]);
  });

  test.each([0, 20, 120, 700])(
    "T13: a worker that waits for jobs closes all the same, %i ms into the outage",
    async (outageMs) => {
      const redis = await startDurableRedis();
      const harness = await createQueueHarness(redis.url);
      const { seen, step } = noteRows();
      const worker = harness.work("submit", step);
      await harness.queues.addSubmits([submitJob(1)]);
      await seen.until(1);
      await redis.kill();
      await delay(outageMs);
      const stopping = worker.stop("shutdown");
      await delay(300);
      await redis.restart();
      await stopping;
      expect(seen.count).toBe(1);
    },
  );

  test("T11: a Redis that is full stops nobody for good", async () => {
    const redis = await startDurableRedis();
    const harness = await createQueueHarness(redis.url);
    const { seen, step } = noteRows();
    harness.work("submit", step);
    await harness.queues.addSubmits([submitJob(1)]);
    await seen.until(1);
    await harness.client.config("SET", "maxmemory", "1");
    await expect(harness.queues.addSubmits([submitJob(2)])).rejects.toThrow("OOM");
    await delay(500);
    await harness.client.config("SET", "maxmemory", "0");
    await harness.queues.addSubmits([submitJob(2)]);
    await seen.until(2);
    expect(harness.bugs).toEqual([]);
  });

  test("T11: a Redis that is full while jobs wait is asked for them now and then", async () => {
    const redis = await startDurableRedis();
    const harness = await createQueueHarness(redis.url);
    const { seen, step } = noteRows();
    const jobs = Array.from({ length: 50 }, (_, row) => submitJob(row + 1));
    await harness.queues.addSubmits(jobs);
    const { client } = harness;
    await client.config("SET", "maxmemory", "1");
    const workers = [1, 2].map(() => harness.work("submit", step));
    const asked = async (): Promise<number> =>
      Number(/total_commands_processed:(\d+)/.exec(await client.info("stats"))?.[1]);
    const before = await asked();
    await delay(3_000);
    // Two workers, each with its own look for lost jobs.
    expect((await asked()) - before).toBeLessThan(60);
    expect(seen.count).toBe(0);
    await client.config("SET", "maxmemory", "0");
    const roomMs = performance.now();
    await seen.until(50);
    expect(performance.now() - roomMs).toBeLessThan(2_000);
    await client.config("SET", "maxmemory", "1");
    await harness.queues.addSubmits([submitJob(99)]).catch(() => undefined);
    // One that rests can be stopped like any other.
    await Promise.all(workers.map((worker) => worker.stop("the test is over")));
    await client.config("SET", "maxmemory", "0");
    expect(harness.bugs).toEqual([]);
  });
});
