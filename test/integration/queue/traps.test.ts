import { setTimeout as delay } from "node:timers/promises";
import { Worker } from "bullmq";
import { describe, expect, test } from "vitest";
import type { Step, SubmitJob, TrackJob } from "../../../src/core/job.ts";
import type { QueueHarness } from "../../helpers/queue-harness.ts";
import {
  Counter,
  createQueueHarness,
  noteRows,
  startDurableRedis,
  submitJob,
  trackJob,
} from "../../helpers/queue-harness.ts";

/** A process that takes a job and dies of it; its lock runs out at once. */
async function dieHolding({ client, prefix }: QueueHarness): Promise<void> {
  const taken = new Counter();
  const worker = new Worker(
    "submit",
    async () => {
      taken.add();
      await new Promise(() => undefined);
    },
    {
      connection: client,
      prefix,
      lockDuration: 400,
      stalledInterval: 200,
      maxStalledCount: 1_000_000,
    },
  );
  worker.on("error", () => undefined);
  await taken.until(1);
  await worker.close(true);
}

describe("a job whose process died", () => {
  test("T1: a row that was in the hands of two killed processes is done by the third", async () => {
    const harness = await createQueueHarness();
    await harness.queues.addSubmits([submitJob(1)]);
    await dieHolding(harness);
    await dieHolding(harness);
    const { rows, seen, step } = noteRows();
    harness.work("submit", step);
    await seen.until(1);
    expect(rows).toEqual([1]);
    await expect.poll(() => harness.count("submit", "active")).toBe(0);
    expect(await harness.count("submit", "failed")).toBe(0);
  });

  test("T17: every process looks for stalled jobs each 5 s, and holds a job for 10 s", async () => {
    const harness = await createQueueHarness();
    const started = new Counter();
    const release = new Counter();
    const step: Step<SubmitJob> = async () => {
      started.add();
      await release.until(1);
      return { kind: "done" };
    };
    harness.work("submit", step);
    harness.work("submit", step);
    await harness.queues.addSubmits([submitJob(1)]);
    await started.until(1);
    const lockMs = await harness.client.pttl(`${harness.prefix}:submit:r-1:lock`);
    const checkMs = await harness.client.pttl(`${harness.prefix}:submit:stalled-check`);
    expect(lockMs).toSatisfy((ms: number) => ms > 5_000 && ms <= 10_000);
    expect(checkMs).toSatisfy((ms: number) => ms > 0 && ms <= 5_000);
    release.add();
  });
});

describe("job ids", () => {
  test("T2: rows get ids of our own making, which BullMQ neither reserves nor refuses", async () => {
    const harness = await createQueueHarness();
    await harness.queues.addSubmits([1, 12, 999_999].map((row) => submitJob(row)));
    await harness.queues.addSubmits([submitJob(12, { tryGroup: 1 })]);
    await harness.queues.addTrack(trackJob(12), 0);
    const waiting = await harness.client.lrange(`${harness.prefix}:submit:wait`, 0, -1);
    expect(new Set(waiting)).toEqual(new Set(["r-1", "r-12", "r-999999", "r-12-1"]));
    expect(await harness.client.lrange(`${harness.prefix}:track:wait`, 0, -1)).toEqual(["r-12"]);
  });

  test("T9: adding again what is there, as after a lost reply, adds nothing", async () => {
    const harness = await createQueueHarness();
    const jobs = [submitJob(1), submitJob(2)];
    await harness.queues.addSubmits(jobs);
    await harness.queues.addSubmits([...jobs, submitJob(2, { sends: 9 })]);
    await harness.queues.addTrack(trackJob(1), 60_000);
    await harness.queues.addTrack(trackJob(1, { polls: 9 }), 0);
    expect(await harness.queues.countWaitingSubmits()).toBe(2);
    expect(await harness.stored("submit", 2)).toMatchObject({ sends: 0 });
    expect(await harness.stored("track", 1)).toMatchObject({ polls: 0 });
    expect(await harness.count("track", "delayed")).toBe(1);
    expect(await harness.count("track", "wait")).toBe(0);
  });

  test("T8: a chunk that a full Redis took in part is whole after adding it again", async () => {
    const redis = await startDurableRedis();
    const harness = await createQueueHarness(redis.url);
    const { client, queues } = harness;
    const jobs = Array.from({ length: 500 }, (_, index) => submitJob(index + 1));
    await queues.addSubmits(jobs.slice(0, 1));
    const used = /used_memory:(\d+)/.exec(await client.info("memory"))?.[1];
    await client.config("SET", "maxmemory", String(Number(used) + 200_000));
    await expect(queues.addSubmits(jobs)).rejects.toThrow("OOM");
    await client.config("SET", "maxmemory", "0");
    expect(await queues.countWaitingSubmits()).toSatisfy((count: number) => count < 500);
    await queues.addSubmits(jobs);
    expect(await queues.countWaitingSubmits()).toBe(500);
  });
});

describe("the same job again with new data", () => {
  test("T4: no process ever runs a step with the data of the step before", async () => {
    const harness = await createQueueHarness();
    const seen: number[] = [];
    const done = new Counter();
    const step: Step<TrackJob> = async ({ data }) => {
      seen.push(data.polls);
      if (data.polls < 40) {
        return { kind: "again", data: { ...data, polls: data.polls + 1 }, delayMs: 0 };
      }
      done.add();
      return { kind: "done" };
    };
    for (let process = 0; process < 3; process += 1) harness.work("track", step);
    await harness.queues.addTrack(trackJob(1), 0);
    await done.until(1);
    expect(seen).toEqual(Array.from({ length: 41 }, (_, index) => index));
    expect(harness.bugs).toEqual([]);
  });

  test("T3: a process that has lost the lock neither overwrites nor moves the job", async () => {
    const harness = await createQueueHarness();
    const ended = new Counter();
    const step: Step<SubmitJob> = async ({ data, lockKey }) => {
      await harness.client.set(lockKey, "another process");
      setTimeout(() => ended.add(), 200);
      return { kind: "again", data: { ...data, sends: 99 }, delayMs: 0 };
    };
    harness.work("submit", step);
    await harness.queues.addSubmits([submitJob(1)]);
    await ended.until(1);
    expect(await harness.stored("submit", 1)).toMatchObject({ sends: 0 });
    expect(await harness.count("submit", "active")).toBe(1);
    expect(await harness.count("submit", "failed")).toBe(0);
  });

  test("a job that could not be moved is left for the next look, never among the failed", async () => {
    const harness = await createQueueHarness();
    const tried = new Counter();
    const step: Step<SubmitJob> = async ({ data }) => {
      // Anything that keeps the move from happening, without touching the lock.
      const data2 = { ...data, text: 1n as unknown as string };
      tried.add();
      return { kind: "again", data: data2, delayMs: 0 };
    };
    harness.work("submit", step, 1);
    await harness.queues.addSubmits([submitJob(1), submitJob(2)]);
    await tried.until(2);
    await expect.poll(() => harness.count("submit", "active")).toBe(2);
    expect(await harness.count("submit", "failed")).toBe(0);
    expect(harness.bugs).toHaveLength(2);
  });

  test("a step that fails by an outage has its job again, and by a bug says so", async () => {
    const harness = await createQueueHarness();
    const tried = new Counter();
    const errors = [new Error("OOM command not allowed"), new Error("a bug")];
    harness.work<SubmitJob>("submit", async () => {
      const error = errors[tried.count];
      tried.add();
      if (error !== undefined) throw error;
      return { kind: "done" };
    });
    await harness.queues.addSubmits([submitJob(1)]);
    await tried.until(3);
    expect(harness.bugs).toEqual([errors[1]]);
    expect(await harness.count("submit", "failed")).toBe(0);
  });

  test("T16: retries are the steps' business: no job has attempts or a back-off of the queue's", async () => {
    const harness = await createQueueHarness();
    await harness.queues.addSubmits([submitJob(1)]);
    const opts = await harness.client.hget(`${harness.prefix}:submit:r-1`, "opts");
    expect(JSON.parse(opts ?? "{}")).toEqual({
      jobId: "r-1",
      attempts: 0,
      removeOnComplete: true,
      stackTraceLimit: 1,
    });
  });

  test("T5, T6, T7: the queues have no limit of their own; the gate counts calls", async () => {
    const harness = await createQueueHarness();
    const { seen, step } = noteRows();
    harness.work("submit", step, 50);
    const startMs = performance.now();
    await harness.queues.addSubmits(Array.from({ length: 300 }, (_, row) => submitJob(row + 1)));
    await seen.until(300);
    expect(performance.now() - startMs).toBeLessThan(5_000);
    expect(await harness.client.exists(`${harness.prefix}:submit:limiter`)).toBe(0);
  });
});

test("T14: a poll that is due does not wait behind the rows that are to be sent", async () => {
  const harness = await createQueueHarness();
  const polled = new Counter();
  harness.work<SubmitJob>("submit", async () => {
    await delay(20);
    return { kind: "done" };
  });
  harness.work<TrackJob>("track", async () => {
    polled.add();
    return { kind: "done" };
  });
  await harness.queues.addSubmits(Array.from({ length: 1_000 }, (_, row) => submitJob(row + 1)));
  const dueMs = performance.now() + 200;
  await harness.queues.addTrack(trackJob(1), 200);
  await polled.until(1);
  expect(performance.now() - dueMs).toBeLessThan(1_000);
  expect(await harness.queues.countWaitingSubmits()).toBeGreaterThan(500);
});
