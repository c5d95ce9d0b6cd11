import { describe, expect, test } from "vitest";
import type { CliProcess } from "../helpers/cli-process.ts";
import type { ProgressWatch } from "../helpers/progress-watch.ts";
import { doneRows, identityOf } from "../helpers/progress-watch.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage, type Stage, type StageAgent } from "../helpers/stage.ts";

/** Enough for a machine that is busy with other things; a quiet one takes a fraction. */
const PATIENCE = { timeout: 180_000 };

const ROWS = 200;
const GO_ON_LIMIT_MS = 5_000;

interface Crash {
  readonly stage: Stage;
  readonly agent: StageAgent;
  readonly watch: ProgressWatch;
  /** Starts the same command. */
  readonly start: () => CliProcess;
  /** Waits until so many rows are done, then kills the process at once; gives the count by then. */
  killAt(process: CliProcess, rows: number): Promise<number>;
  /** How long it took from now until a further row was done. */
  untilMoreThan(rows: number): Promise<number>;
}

describe("a process that is killed in the middle of a run", PATIENCE, () => {
  test("is followed by one that goes on within 5 s and settles every row once", async (context) => {
    const crash = await setUp(context);
    const doneAtKill = await crash.killAt(crash.start(), 40);
    const second = crash.start();
    expect(await crash.untilMoreThan(doneAtKill)).toBeLessThan(GO_ON_LIMIT_MS);
    const end = await second.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectEveryRowOnce(crash);
  });

  test.concurrent("may be killed twice", async (context) => {
    const crash = await setUp(context);
    const first = await crash.killAt(crash.start(), 30);
    const second = await crash.killAt(crash.start(), first + 30);
    expect(second).toBeLessThan(ROWS);
    const end = await crash.start().ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectEveryRowOnce(crash);
  });

  test.concurrent("before its first call leaves a run that the same command begins", async (context) => {
    const { stage, agent, start } = await setUp(context);
    const first = start();
    // Killed as early as anything can be seen of it.
    while (!(await stage.redis.exists(`onboard-batch:{${stage.runId}}:settings`)));
    await first.kill();
    const end = await start().ended;
    expect(end.exitCode, end.stderr).toBe(0);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(ROWS));
    expect(agent.stats().tasks).toBe(ROWS);
  });
});

async function setUp(context: Parameters<typeof openStage>[0]): Promise<Crash> {
  const stage = await openStage(context);
  const agent = await stage.agent({
    duration: { kind: "uniform", minMs: 100, maxMs: 1_500 },
    // So that calls are on the wire at any moment.
    faults: [{ match: { method: "SendMessage" }, effect: { kind: "slow", ms: 200 } }],
  });
  const file = await stage.partners(ROWS);
  const watch = stage.watch();
  return {
    stage,
    agent,
    watch,
    start: () => stage.start("run", file, "--rate", "40", "--poll-rate", "100"),
    killAt: async (process, rows) => {
      const reading = await watch.until((one) => doneRows(one) >= rows);
      await process.kill();
      expect(Number(reading["pending"])).toBeGreaterThan(0);
      return doneRows(watch.readings.at(-1) ?? reading);
    },
    untilMoreThan: async (rows) => {
      const fromMs = performance.now();
      await watch.until((one) => doneRows(one) > rows);
      return performance.now() - fromMs;
    },
  };
}

async function expectEveryRowOnce({ stage, agent, watch }: Crash): Promise<void> {
  const outputs = await readOutputs(stage.outDir);
  expect(allRows(outputs)).toEqual(rowsUpTo(ROWS));
  expect(outputs.results.rows).toHaveLength(ROWS);
  const { summary } = outputs;
  const stats = agent.stats();
  expect(stats.tasks).toBe(ROWS);
  expect(new Set(outputs.results.rows.map((row) => row["onboard_task_id"])).size).toBe(ROWS);
  // A send that died before it was written was counted and never seen.
  expect(summary.calls.sendMessage).toBe(ROWS + summary.calls.retries);
  expect(summary.calls.sendMessage).toBeGreaterThanOrEqual(stats.calls.SendMessage);
  expect(stats.calls.SendMessage).toBe(ROWS + stats.repeatedMessageIds);
  expect(summary.calls.retries).toBeGreaterThanOrEqual(stats.repeatedMessageIds);
  const begun = watch.readings.filter(({ total }) => total !== "0");
  for (const reading of begun) expect(identityOf(reading)).toEqual({ total: ROWS, parts: ROWS });
}
