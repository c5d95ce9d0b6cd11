import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, type TestContext, test, vi } from "vitest";
import { doneRows, type ProgressWatch } from "../helpers/progress-watch.ts";
import type { PrivateRedis } from "../helpers/redis-for-tests.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage, type Stage, type StageAgent } from "../helpers/stage.ts";

/** BullMQ's own waits for a job end after 5 s: one outage within, one beyond it. */
const LONG_OUTAGE_MS = 8_000;
const OUTAGES_MS = [3_000, LONG_OUTAGE_MS] as const;
const GOES_ON_WITHIN_MS = 5_000;
const ROWS = 120;
const RATES = ["--rate", "30", "--poll-rate", "100"] as const;

// Outages take their time, and several runs at once share a small machine.
vi.setConfig({ testTimeout: 120_000 });

interface Scene {
  readonly stage: Stage;
  readonly redis: PrivateRedis;
  readonly agent: StageAgent;
  readonly watch: ProgressWatch;
}

describe.concurrent("a Redis that was gone", () => {
  test.for(OUTAGES_MS)(
    "for %i ms in the middle of a run does not wedge it (1: bullmq#4585)",
    async (outageMs, context) => {
      const { stage, redis, agent, watch } = await setScene(context);
      const running = stage.run("run", await stage.partners(ROWS), ...RATES);
      await watch.until((reading) => doneRows(reading) >= 20);
      await redis.kill();
      await delay(outageMs);
      const doneBefore = doneRows(watch.readings.at(-1) ?? {});
      await redis.restart();
      const backAtMs = performance.now();
      await watch.until((reading) => doneRows(reading) > doneBefore);
      expect(performance.now() - backAtMs).toBeLessThan(GOES_ON_WITHIN_MS);
      const end = await running;
      expect(end.exitCode, end.stderr).toBe(0);
      await expectRowsOnce({ stage, agent });
    },
  );

  test.for([LONG_OUTAGE_MS])(
    "for %i ms does not wedge an idle worker: a row that comes later is done soon (1: bullmq#4585, 9: bullmq#2466)",
    async (outageMs, context) => {
      const { stage, redis, agent, watch } = await setScene(context);
      const worker = stage.start("worker");
      const first = await stage.partners(1, "first.csv");
      await stage.run("ingest", first, "--run-id", `${stage.runId}-0`);
      await watchDone(stage.watch(`${stage.runId}-0`), 1);
      await redis.kill();
      await delay(outageMs);
      await redis.restart();
      const file = await stage.partners(2);
      const ingested = await stage.run("ingest", file);
      expect(ingested.exitCode, ingested.stderr).toBe(0);
      const ingestedAtMs = performance.now();
      await watchDone(watch, 2);
      expect(performance.now() - ingestedAtMs).toBeLessThan(GOES_ON_WITHIN_MS);
      expect(agent.stats().tasks).toBe(3);
      worker.signal("SIGTERM");
      const end = await worker.ended;
      expect(end.exitCode, end.stderr).toBe(0);
    },
  );

  test("while nothing but later polls was waiting loses none of them (9: bullmq#2466, bullmq#2534, bullmq#1656, bullmq#3221)", async (context) => {
    const { stage, redis, agent, watch } = await setScene(context, 6_000);
    const rows = 10;
    const running = stage.run("run", await stage.partners(rows), "--rate", "50");
    await watch.until(({ open }) => Number(open) === rows);
    await redis.kill();
    await delay(2_000);
    await redis.restart();
    const backAtMs = performance.now();
    const end = await running;
    expect(end.exitCode, end.stderr).toBe(0);
    expect(performance.now() - backAtMs).toBeLessThan(20_000);
    expect(agent.stats()).toMatchObject({ tasks: rows, repeatedMessageIds: 0 });
  });
});

describe.concurrent("a Redis that hangs up", () => {
  test("on all clients each second for 8 s costs no row, and the pace returns (2: bullmq#4479)", async (context) => {
    const { stage, redis, agent, watch } = await setScene(context);
    const rows = 300;
    const client = new Redis(redis.url);
    context.onTestFinished(() => client.disconnect());
    const running = stage.run("run", await stage.partners(rows), ...RATES);
    await watch.until((reading) => doneRows(reading) > 0);
    for (let kills = 0; kills < 8; kills += 1) {
      await client.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      await delay(1_000);
    }
    const doneBefore = doneRows(watch.readings.at(-1) ?? {});
    const calmAtMs = performance.now();
    await watch.until((reading) => doneRows(reading) >= Math.min(rows, doneBefore + 60));
    // 60 rows at 30 a second, and what a reconnection takes.
    expect(performance.now() - calmAtMs).toBeLessThan(GOES_ON_WITHIN_MS + 2_000);
    const end = await running;
    expect(end.exitCode, end.stderr).toBe(0);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(rows));
    expect(agent.stats().tasks).toBe(rows);
  });
});

describe.concurrent("a worker whose Redis is away", () => {
  test.for(["gone", "frozen"] as const)(
    "ends within its grace when it is told to: %s (5: bullmq#4656, bullmq#2430)",
    async (trouble, context) => {
      const { stage, redis, watch } = await setScene(context, 60_000);
      const worker = stage.start("worker");
      await stage.run("ingest", await stage.partners(5), ...RATES);
      await watch.until(({ open }) => open === "5");
      if (trouble === "frozen") redis.freeze();
      else await redis.kill();
      await delay(1_500);
      worker.signal("SIGTERM");
      const signaledAtMs = performance.now();
      const end = await worker.ended;
      expect(performance.now() - signaledAtMs).toBeLessThan(8_000);
      // Without Redis it can give nothing back: no clean stop.
      expect(end.exitCode, end.stderr).toBe(143);
      if (trouble === "frozen") redis.thaw();
    },
  );
});

describe.concurrent("a Redis that is full", () => {
  test("is waited for without a flood of log lines, and the run goes on when there is room (21: bullmq#3834, bull#1304)", async (context) => {
    const { stage, redis, agent, watch } = await setScene(context);
    const client = new Redis(redis.url);
    context.onTestFinished(() => client.disconnect());
    const running = stage.start("run", await stage.partners(ROWS), ...RATES, "--verbose");
    await watch.until((reading) => doneRows(reading) >= 20);
    await client.config("SET", "maxmemory", "1mb");
    const linesBefore = lineCount(running.stderr());
    await delay(6_000);
    expect(lineCount(running.stderr()) - linesBefore).toBeLessThan(60);
    const doneBefore = doneRows(watch.readings.at(-1) ?? {});
    expect(doneBefore).toBeLessThan(ROWS);
    await client.config("SET", "maxmemory", "0");
    await watch.until((reading) => doneRows(reading) > doneBefore);
    const end = await running.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectRowsOnce({ stage, agent });
  });
});

describe.concurrent("a Redis URL", () => {
  test("cannot give commands a time-out that cuts the waits for jobs (22: bullmq#2619, scrivener-mcp#92)", async (context) => {
    const { stage, redis, agent } = await setScene(context, 7_000);
    stage.setEnv({ ONBOARD_BATCH_REDIS: `${redis.url}?commandTimeout=1000` });
    const end = await stage.run("run", await stage.partners(5));
    expect([0, 2], end.stderr).toContain(end.exitCode);
    expect(end.stderr).not.toContain("Command timed out");
    expect(agent.stats().calls.SendMessage).toBe(end.exitCode === 0 ? 5 : 0);
  });
});

async function setScene(context: TestContext, taskMs = 300): Promise<Scene> {
  const stage = await openStage(context);
  const redis = await stage.privateRedis({ durable: true });
  const agent = await stage.agent({ duration: { kind: "fixed", ms: taskMs } });
  return { stage, redis, agent, watch: stage.watch() };
}

async function watchDone(watch: ProgressWatch, rows: number): Promise<void> {
  await watch.until((reading) => doneRows(reading) === rows);
}

async function expectRowsOnce({ stage, agent }: Pick<Scene, "stage" | "agent">): Promise<void> {
  const outputs = await readOutputs(stage.outDir);
  expect(allRows(outputs)).toEqual(rowsUpTo(ROWS));
  expect(outputs.results.rows).toHaveLength(ROWS);
  expect(agent.stats().tasks).toBe(ROWS);
  const taskIds = outputs.results.rows.map((row) => row["onboard_task_id"]);
  expect(new Set(taskIds).size).toBe(ROWS);
}

function lineCount(text: string): number {
  return text.split("\n").length;
}
