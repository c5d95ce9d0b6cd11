import { randomUUID } from "node:crypto";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAgentClient } from "../../../src/a2a/client.ts";
import { createTransport } from "../../../src/a2a/transport.ts";
import type { RunSettings } from "../../../src/core/run-settings.ts";
import type { FatalStop } from "../../../src/core/stop.ts";
import { createRunQueues } from "../../../src/queue/run-queues.ts";
import { CallGate } from "../../../src/redis/gate.ts";
import { gateKey, runPrefix } from "../../../src/redis/keys.ts";
import { createRunWorker } from "../../../src/runs/run-worker.ts";
import { createSandbox } from "../../../src/sandbox/agent.ts";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { SendHold } from "../../../src/steps/send-hold.ts";
import { submitJob } from "../../helpers/queue-harness.ts";
import { createTestRun, openTestRedis, SILENT, sumOfParts } from "../../helpers/run-for-tests.ts";

interface RunOptions {
  readonly total: number;
  readonly sandbox?: SandboxOptions;
  readonly settings?: Partial<RunSettings>;
}

/** A run whose rows are in the queues, an agent, and as many processes as are asked for. */
async function setup({ total, sandbox: behaviour = {}, settings = {} }: RunOptions) {
  const sandbox = createSandbox({ duration: { kind: "fixed", ms: 20 }, ...behaviour });
  onTestFinished(() => sandbox.stop());
  const { url } = await sandbox.start();
  const { client } = await openTestRedis();
  const run = await createTestRun(client, { total, settings });
  const prefix = runPrefix(run.settings.runId);
  const queues = createRunQueues(client, prefix);
  onTestFinished(() => queues.close());
  const rows = Array.from({ length: total }, (_, index) => index + 1);
  await queues.addSubmits(
    rows.map((row) => submitJob(row, { text: `Name: Partner ${row} AG, Country: DE` })),
  );
  const key = gateKey(url, randomUUID());
  const stops: FatalStop[] = [];
  const errors: unknown[] = [];

  async function startProcess() {
    const redis = await openTestRedis();
    const transport = createTransport();
    onTestFinished(() => transport.close());
    const gate = new CallGate({ client: redis.client, key, concurrency: 16, log: SILENT });
    onTestFinished(() => gate.stop());
    const { requestTimeoutMs, maxResponseBytes } = run.settings;
    const worker = createRunWorker({
      settings: run.settings,
      client: createAgentClient({ transport, endpoint: url, requestTimeoutMs, maxResponseBytes }),
      gate,
      ledger: run.ledger,
      record: run.record,
      queues,
      redis,
      storeAnswer: (_answer, store) => store(),
      log: SILENT,
      logData: false,
      sendHold: new SendHold(),
      isCanceling: () => false,
      concurrency: 16,
      onStop: (stop) => void stops.push(stop),
      onError: (error) => void errors.push(error),
    });
    onTestFinished(() => worker.stop("the test is over"));
    worker.start();
    return worker;
  }

  /** Waits until every row has its outcome; each reading on the way must add up. */
  async function untilDone(): Promise<void> {
    await expect
      .poll(
        async () => {
          const progress = await run.progress();
          expect(sumOfParts(progress)).toBe(total);
          return progress.pending + progress.open;
        },
        { timeout: 25_000, interval: 50 },
      )
      .toBe(0);
  }

  return { sandbox, run, queues, stops, errors, startProcess, untilDone, client, prefix };
}

describe("rows through the queues", () => {
  test("two processes bring every row to one outcome, whatever the agent does", async () => {
    const total = 120;
    const run = await setup({
      total,
      sandbox: {
        faults: [
          {
            match: { method: "SendMessage", nth: 1, share: 0.2 },
            effect: { kind: "rpc-error", code: -32603 },
          },
          {
            match: { method: "SendMessage", nth: 1, share: 0.1 },
            effect: { kind: "reset", after: true },
          },
          {
            match: { method: "GetTask", nth: 1, share: 0.2 },
            effect: { kind: "http", status: 502 },
          },
          { match: { share: 0.1 }, effect: { kind: "message" } },
          { match: { share: 0.1 }, effect: { kind: "end", state: "FAILED" } },
          { match: { share: 0.1 }, effect: { kind: "end", state: "INPUT_REQUIRED" } },
        ],
      },
    });
    await Promise.all([run.startProcess(), run.startProcess()]);
    await run.untilDone();

    const outcomes = await run.run.outcomes();
    expect(new Set(outcomes.map(({ row }) => row)).size).toBe(total);
    expect(outcomes).toHaveLength(total);
    const { calls, tasks, directMessages, ends } = run.sandbox.stats();
    expect(tasks + directMessages).toBe(total);
    const progress = await run.run.progress();
    expect(progress).toMatchObject({
      failed: ends["FAILED"],
      needsInput: ends["INPUT_REQUIRED"],
      sendMessageCalls: calls.SendMessage,
      getTaskCalls: calls.GetTask,
      retries: calls.SendMessage - total,
    });
    expect(run.errors).toEqual([]);
    expect(run.stops).toEqual([]);
    await expect.poll(() => run.client.keys(`${run.prefix}:*:r-*`)).toEqual([]);
  });

  test("a process that is stopped leaves its rows to the next, and none is sent twice", async () => {
    const total = 60;
    const run = await setup({ total, settings: { sendPerSecond: 60 } });
    const first = await run.startProcess();
    await expect
      .poll(async () => (await run.run.progress()).succeeded, { timeout: 10_000, interval: 10 })
      .toBeGreaterThan(5);
    await first.stop("shutdown");
    const { sendMessageCalls, succeeded } = await run.run.progress();
    expect(succeeded).toBeLessThan(total);
    expect(run.sandbox.stats().calls.SendMessage).toBe(sendMessageCalls);
    await run.startProcess();
    await run.untilDone();
    const { calls, tasks } = run.sandbox.stats();
    expect({ sends: calls.SendMessage, tasks }).toEqual({ sends: total, tasks: total });
    expect(await run.run.progress()).toMatchObject({ succeeded: total, retries: 0 });
    expect(run.errors).toEqual([]);
  });

  test("no more tasks are open at the agent than may be, and all rows still get through", async () => {
    const total = 30;
    const run = await setup({
      total,
      settings: { maxOpenTasks: 3 },
      sandbox: { duration: { kind: "fixed", ms: 60 } },
    });
    await run.startProcess();
    let mostOpen = 0;
    await expect
      .poll(
        async () => {
          mostOpen = Math.max(mostOpen, run.sandbox.stats().open);
          const { pending, open } = await run.run.progress();
          return pending + open;
        },
        { timeout: 28_000, interval: 10 },
      )
      .toBe(0);
    expect(mostOpen).toBeLessThanOrEqual(3);
    expect(run.sandbox.stats().tasks).toBe(total);
  });

  test("a stopped run sends nothing more and follows what is open to its end", async () => {
    const run = await setup({ total: 200, settings: { sendPerSecond: 40 } });
    await run.startProcess();
    await expect
      .poll(async () => (await run.run.progress()).succeeded, { timeout: 10_000, interval: 10 })
      .toBeGreaterThan(3);
    await run.run.record.stop("operator");
    const { calls } = run.sandbox.stats();
    await expect
      .poll(
        async () =>
          (await run.queues.countWaitingSubmits()) + (await run.queues.countActiveSubmits()),
        {
          timeout: 10_000,
        },
      )
      .toBe(0);
    // Sends that had their slot before the stop are made.
    expect(run.sandbox.stats().calls.SendMessage - calls.SendMessage).toBeLessThanOrEqual(50);
    await expect.poll(async () => (await run.run.progress()).open, { timeout: 10_000 }).toBe(0);
    const progress = await run.run.progress();
    expect(progress.pending).toBeGreaterThan(100);
    expect(progress.succeeded + progress.pending).toBe(200);
    expect(progress.succeeded).toBe(run.sandbox.stats().tasks);
  });

  test("refused credentials are told, and every row stays", async () => {
    const run = await setup({ total: 5, sandbox: { apiKey: "another key" } });
    const worker = await run.startProcess();
    await expect.poll(() => run.stops.length).toBeGreaterThan(0);
    await worker.stop("credentials");
    expect(run.stops[0]).toMatchObject({ kind: "credentials" });
    expect(await run.run.progress()).toMatchObject({ pending: 5, failed: 0 });
    expect(await run.queues.countWaitingSubmits()).toBe(5);
  });
});
