import { expect, test } from "vitest";
import { watchPace } from "../helpers/pace.ts";
import { readOutputs } from "../helpers/run-outputs.ts";
import { openStage } from "../helpers/stage.ts";
import { startWorkers, stopWorkers } from "../helpers/workers.ts";

const RATE = 20;
const ROWS = 200;

test("one process never gives the agent more than 21 messages in any second, and sustains 97 %", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({ duration: { kind: "fixed", ms: 200 } });
  const pace = watchPace(agent, RATE);
  const end = await stage.run("run", await stage.partners(ROWS), "--rate", String(RATE));
  expect(end.exitCode, end.stderr).toBe(0);
  expect(agent.stats().calls.SendMessage).toBe(ROWS);
  pace.expectKept();
  pace.expectSustained();
});

test("two processes with two files keep the rate together", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({ duration: { kind: "fixed", ms: 200 } });
  const files = [
    await stage.partners(ROWS / 2, "first.csv"),
    await stage.partners(ROWS / 2 + 1, "second.csv"),
  ];
  const pace = watchPace(agent, RATE);
  const runs = files.map((file, index) =>
    stage.run("run", file, "--rate", String(RATE), "--run-id", `${stage.runId}-${index}`),
  );
  const ends = await Promise.all(runs);
  expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
  expect(agent.stats().calls.SendMessage).toBe(ROWS + 1);
  pace.expectKept();
  pace.expectSustained();
});

test("three workers keep the rate together", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({ duration: { kind: "fixed", ms: 100 } });
  const pace = watchPace(agent, RATE);
  const workers = startWorkers(stage, 3);
  await stage.run("ingest", await stage.partners(ROWS), "--rate", String(RATE));
  const collected = await stage.run("collect", stage.runId);
  expect(collected.exitCode, collected.stderr).toBe(0);
  await stopWorkers(workers);
  expect(agent.stats().calls.SendMessage).toBe(ROWS);
  pace.expectKept();
  pace.expectSustained();
});

test("a small run is not held up by a big one on the same agent", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({ duration: { kind: "fixed", ms: 100 } });
  const pace = watchPace(agent, RATE);
  const workers = startWorkers(stage, 1);
  const ingest = (file: string, runId: string) =>
    stage.run("ingest", file, "--run-id", runId, "--rate", String(RATE));
  await ingest(await stage.partners(2_000, "big.csv"), `${stage.runId}-b`);
  await expect
    .poll(() => agent.stats().calls.SendMessage, { timeout: 20_000 })
    .toBeGreaterThanOrEqual(20);

  const small = `${stage.runId}-s`;
  await ingest(await stage.partners(50, "small.csv"), small);
  const collected = await stage.run("collect", small);
  expect(collected.exitCode, collected.stderr).toBe(0);
  const { summary } = await readOutputs(stage.outDir, small);
  const tookMs = Date.parse(summary.finishedAt) - Date.parse(summary.startedAt);
  // 50 rows at half the rate are 5 s; it may take twice of that.
  expect(tookMs).toBeLessThanOrEqual(10_000);
  pace.expectKept();
  await stopWorkers(workers);
});
