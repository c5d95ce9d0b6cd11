import { EventEmitter, once } from "node:events";
import { inject, onTestFinished } from "vitest";
import type { Step, SubmitJob, TrackJob } from "../../src/core/job.ts";
import { isRedisOutage } from "../../src/core/redis-outage.ts";
import type { RunQueues } from "../../src/queue/run-queues.ts";
import { createRunQueues } from "../../src/queue/run-queues.ts";
import type { StepWorker, StepWorkerOptions } from "../../src/queue/step-worker.ts";
import { createStepWorker } from "../../src/queue/step-worker.ts";
import type { RedisClient } from "../../src/redis/connect.ts";
import { runPrefix } from "../../src/redis/keys.ts";
import { startPrivateRedis } from "./redis-for-tests.ts";
import { openTestRedis, uniqueRunId } from "./run-for-tests.ts";

/** A row to be sent. */
export function submitJob(row: number, changes: Partial<SubmitJob> = {}): SubmitJob {
  return { row, weight: 1, text: `row ${row}`, tryGroup: 0, sends: 0, spent: [], ...changes };
}

/** A task to be followed. */
export function trackJob(row: number, changes: Partial<TrackJob> = {}): TrackJob {
  return {
    row,
    weight: 1,
    text: `row ${row}`,
    taskId: `task-${row}`,
    contextId: "context",
    attempts: 1,
    submittedAtMs: Date.now(),
    tryGroup: 0,
    polls: 0,
    ageMs: 0,
    askedAtMs: Date.now(),
    plannedDelayMs: 0,
    unfinishedAtMs: 0,
    cancels: 0,
    failedPolls: 0,
    lostSinceMs: 0,
    ...changes,
  };
}

/** The two queues of a run of the test's own, and workers on them. */
export interface QueueHarness {
  readonly client: RedisClient;
  readonly prefix: string;
  readonly queues: RunQueues;
  /** What steps threw that nobody expects. */
  readonly bugs: readonly unknown[];
  /** A started worker; a process of its own as far as Redis can tell. */
  work<Data>(
    queue: StepWorkerOptions<Data>["queue"],
    step: Step<Data>,
    concurrency?: number,
  ): StepWorker;
  /** How many jobs are in a state of a queue. */
  count(
    queue: "submit" | "track",
    state: "active" | "failed" | "wait" | "delayed",
  ): Promise<number>;
  /** The data of a row's job as they are in Redis. */
  stored(queue: "submit" | "track", row: number): Promise<unknown>;
}

export async function createQueueHarness(url = inject("redisUrl")): Promise<QueueHarness> {
  const { client } = await openTestRedis(url);
  const prefix = runPrefix(uniqueRunId());
  onTestFinished(async () => {
    if (client.status !== "ready") return;
    const keys = await client.keys(`${prefix}*`);
    if (keys.length > 0) await client.unlink(...keys);
  });
  const queues = createRunQueues(client, prefix);
  onTestFinished(() => queues.close());
  const bugs: unknown[] = [];
  return {
    client,
    prefix,
    queues,
    bugs,
    work(queue, step, concurrency = 4) {
      const worker = createStepWorker({
        connection: client,
        prefix,
        queue,
        concurrency,
        step,
        isOutage: isRedisOutage,
        onBug: (error) => void bugs.push(error),
      });
      onTestFinished(() => worker.stop("the test is over"));
      worker.start();
      return worker;
    },
    async count(queue, state) {
      const key = `${prefix}:${queue}:${state}`;
      const isList = state === "active" || state === "wait";
      return isList ? client.llen(key) : client.zcard(key);
    },
    async stored(queue, row) {
      return JSON.parse((await client.hget(`${prefix}:${queue}:r-${row}`, "data")) ?? "null");
    },
  };
}

/** Counts events that a test waits for. */
export class Counter {
  count = 0;
  private readonly events = new EventEmitter();

  constructor() {
    this.events.setMaxListeners(0);
  }

  add(): void {
    this.count += 1;
    this.events.emit("added");
  }

  async until(count: number): Promise<void> {
    while (this.count < count) await once(this.events, "added");
  }
}

/** A step that notes each row and is done with it. */
export function noteRows(): {
  readonly rows: number[];
  readonly seen: Counter;
  step: Step<SubmitJob>;
} {
  const rows: number[] = [];
  const seen = new Counter();
  return {
    rows,
    seen,
    step: async ({ data }) => {
      rows.push(data.row);
      seen.add();
      return { kind: "done" };
    },
  };
}

/** A Redis of the test's own that keeps what it acknowledged. */
export async function startDurableRedis() {
  const redis = await startPrivateRedis({ durable: true });
  onTestFinished(() => redis.stop());
  return redis;
}
