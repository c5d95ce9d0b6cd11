import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { doneRows, identityOf } from "../helpers/progress-watch.ts";
import { allRows, readOutputs, rowNumbers, rowsUpTo } from "../helpers/run-outputs.ts";
import type { Stage, StageAgent } from "../helpers/stage.ts";
import { openStage } from "../helpers/stage.ts";

const QUICK: SandboxOptions = { duration: { kind: "fixed", ms: 200 } };
/** What the issue of an order allows until no new call begins. */
const ORDER_LIMIT_MS = 2_000;

async function order(stage: Stage, ...words: string[]): Promise<string> {
  const end = await stage.run(...words);
  expect(end.exitCode, end.stderr).toBe(0);
  return end.stderr;
}

/** Sends that arrive from 2 s after now on, over so many seconds. */
async function lateSends(agent: StageAgent, seconds: number): Promise<number> {
  await delay(ORDER_LIMIT_MS);
  const before = agent.stats().calls.SendMessage;
  await delay(seconds * 1000);
  return agent.stats().calls.SendMessage - before;
}

test("pause holds sends back on every host, follows open tasks, and resume goes on", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent(QUICK);
  const workers = [stage.start("worker"), stage.start("worker")];
  const watch = stage.watch();
  context.onTestFinished(() => watch.stop());
  await stage.run("ingest", await stage.partners(400), "--rate", "40", "--poll-rate", "200");
  const collecting = stage.start("collect", stage.runId);
  await watch.until((reading) => doneRows(reading) >= 20);

  expect(await order(stage, "pause", stage.runId)).toContain(`resume ${stage.runId}`);
  expect(await lateSends(agent, 2)).toBe(0);
  const paused = await watch.until(({ open }) => open === "0");
  expect(paused).toMatchObject({ status: "paused", statusReason: "operator" });
  expect(Number(paused["pending"])).toBeGreaterThan(0);
  expect(await order(stage, "pause", stage.runId)).toContain("was paused before");

  await order(stage, "resume", stage.runId);
  const end = await collecting.ended;
  expect(end.exitCode, end.stderr).toBe(0);
  expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(400));
  expect(agent.stats()).toMatchObject({ tasks: 400, repeatedMessageIds: 0 });
  for (const reading of watch.readings)
    expect(identityOf(reading).parts).toBe(identityOf(reading).total);
  for (const worker of workers) worker.signal("SIGTERM");
  await Promise.all(workers.map((worker) => worker.ended));
});

/** More than are sent in the time that two commands take on a busy machine. */
const CANCELED_ROWS = 1_500;

test("cancel ends open tasks at the agent and keeps what completed, and retry reopens the run", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({
    duration: { kind: "uniform", minMs: 100, maxMs: 4_000 },
  });
  const watch = stage.watch();
  context.onTestFinished(() => watch.stop());
  const file = await stage.partners(CANCELED_ROWS);
  const run = stage.start("run", file, "--rate", "40", "--poll-rate", "400");
  await watch.until(({ sendMessageCalls }) => Number(sendMessageCalls) >= 60);

  const refused = await stage.run("cancel", stage.runId);
  expect(refused.exitCode).toBe(2);
  expect(refused.stderr).toContain("give --yes");
  await order(stage, "cancel", stage.runId, "--yes");
  expect(await lateSends(agent, 1)).toBe(0);
  const end = await run.ended;
  expect(end.exitCode, end.stderr).toBe(7);

  const canceled = await readOutputs(stage.outDir);
  const { rows, calls } = canceled.summary;
  expect(canceled.summary).toMatchObject({ status: "canceled", statusReason: "operator" });
  expect(allRows(canceled)).toEqual(rowsUpTo(CANCELED_ROWS));
  expect(rows.succeeded + rows.failed).toBe(agent.stats().tasks);
  expect(rows.failed).toBe(agent.stats().ends["CANCELED"]);
  expect(rows.failed).toBeGreaterThan(0);
  expect(rows.succeeded).toBeGreaterThan(0);
  expect(calls.cancelTask).toBe(agent.stats().calls.CancelTask);
  expect(canceled.summary.failuresByReason).toEqual({ TASK_CANCELED: rows.failed });
  expect(new Set(canceled.unprocessed.rows.map((row) => row["onboard_reason"]))).toEqual(
    new Set(["CANCELED"]),
  );
  expect((await stage.run("run", file)).exitCode).toBe(7);

  const quick = await stage.agent(QUICK);
  const refusedAgent = await stage.run("retry", stage.runId);
  expect(refusedAgent.exitCode).toBe(2);
  expect(refusedAgent.stderr).toContain(`--agent-url ${agent.url}`);
  expect(quick.stats().calls.SendMessage).toBe(0);
});

test("retry sends failed and unprocessed rows again, and their later outcomes replace the earlier", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({
    duration: { kind: "fixed", ms: 50 },
    faults: [
      { match: { to: 100, share: 0.2 }, effect: { kind: "end", state: "FAILED", text: "busy" } },
      { match: { to: 100, share: 0.3 }, effect: { kind: "end", state: "REJECTED", text: "no" } },
    ],
  });
  const watch = stage.watch();
  context.onTestFinished(() => watch.stop());
  const file = await stage.partners(100);
  const first = await stage.run("run", file, "--rate", "200", "--poll-rate", "400");
  expect(first.exitCode, first.stderr).toBe(3);
  const before = await readOutputs(stage.outDir);
  const { TASK_FAILED = 0, TASK_REJECTED = 0 } = before.summary.failuresByReason;
  expect(TASK_FAILED).toBeGreaterThan(0);
  expect(TASK_REJECTED).toBeGreaterThan(0);

  const retried = await stage.run("retry", "--last");
  expect(retried.exitCode, retried.stderr).toBe(3);
  const after = await readOutputs(stage.outDir);
  expect(after.summary.rows).toMatchObject({
    succeeded: 100 - TASK_REJECTED,
    failed: TASK_REJECTED,
  });
  expect(after.summary.failuresByReason).toEqual({ TASK_REJECTED });
  expect(rowNumbers(after.results.rows)).toEqual(
    rowsUpTo(100).filter((row) => !rowNumbers(after.failures.rows).includes(row)),
  );
  expect(agent.stats()).toMatchObject({ tasks: 100 + TASK_FAILED, repeatedMessageIds: 0 });
  expect(after.summary.calls).toMatchObject({
    sendMessage: 100 + TASK_FAILED,
    retries: TASK_FAILED,
  });

  const none = await stage.run("retry", stage.runId);
  expect(none.exitCode, none.stderr).toBe(3);
  expect(agent.stats().tasks).toBe(100 + TASK_FAILED);

  const all = await stage.run("retry", stage.runId, "--all");
  expect(all.exitCode, all.stderr).toBe(0);
  expect((await readOutputs(stage.outDir)).summary.rows).toMatchObject({ succeeded: 100 });
  for (const reading of watch.readings)
    expect(identityOf(reading).parts).toBe(identityOf(reading).total);
  expect((await stage.run("run", file)).exitCode).toBe(0);
  expect(agent.stats().tasks).toBe(100 + TASK_FAILED + TASK_REJECTED);
});

test("a retry that is killed goes on with the same command, or with that of the run", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({
    duration: { kind: "fixed", ms: 50 },
    faults: [{ match: { to: 100 }, effect: { kind: "end", state: "FAILED" } }],
  });
  const file = await stage.partners(100);
  expect((await stage.run("run", file, "--rate", "50", "--poll-rate", "400")).exitCode).toBe(3);
  const watch = stage.watch();
  context.onTestFinished(() => watch.stop());
  const killed = stage.start("retry", stage.runId);
  await watch.until(
    (reading) => reading["status"] === "running" && Number(reading["succeeded"]) >= 10,
  );
  await killed.kill();
  const end = await stage.run("run", file);
  expect(end.exitCode, end.stderr).toBe(0);
  const outputs = await readOutputs(stage.outDir);
  expect(outputs.summary.rows).toMatchObject({ total: 100, succeeded: 100, failed: 0 });
  expect(agent.stats().tasks).toBe(200);
}, 60_000);

test("a retry goes on when Redis has forgotten the run", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({
    duration: { kind: "fixed", ms: 20 },
    faults: [{ match: { to: 10 }, effect: { kind: "end", state: "FAILED" } }],
  });
  const file = await stage.partners(20);
  const fast = ["--rate", "200", "--poll-rate", "400"];
  expect((await stage.run("run", file, ...fast)).exitCode).toBe(3);
  const keys = await stage.redis.keys(`onboard-batch:{${stage.runId}}*`);
  await stage.redis.del(...keys);
  const end = await stage.run("retry", stage.runId);
  expect(end.exitCode, end.stderr).toBe(0);
  expect((await readOutputs(stage.outDir)).summary.rows).toMatchObject({
    total: 20,
    succeeded: 20,
  });
  expect(agent.stats().tasks).toBe(30);
});

test("--max-failures stops a run: nothing new is sent, open tasks are followed to their end", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({
    ...QUICK,
    faults: [{ match: { share: 0.5 }, effect: { kind: "end", state: "FAILED" } }],
  });
  const file = await stage.partners(400);
  const end = await stage.run(
    "run",
    file,
    "--rate",
    "40",
    "--poll-rate",
    "400",
    "--max-failures",
    "10%",
  );
  expect(end.exitCode, end.stderr).toBe(7);
  const outputs = await readOutputs(stage.outDir);
  const { rows } = outputs.summary;
  expect(outputs.summary).toMatchObject({ status: "stopped", statusReason: "max-failures" });
  expect(rows.succeeded + rows.failed).toBe(agent.stats().tasks);
  // 20 settled rows come first; then it takes less than 2 s at 40 a second.
  expect(agent.stats().tasks).toBeGreaterThanOrEqual(20);
  expect(agent.stats().tasks).toBeLessThan(120);
  expect(agent.stats().calls.CancelTask).toBe(0);
  expect(outputs.unprocessed.rows[0]).toMatchObject({ onboard_reason: "STOPPED" });
  expect(allRows(outputs)).toEqual(rowsUpTo(400));
});

test("--max-duration ends the sending after its time", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent(QUICK);
  const file = await stage.partners(400);
  const end = await stage.run(
    "run",
    file,
    "--rate",
    "20",
    "--poll-rate",
    "400",
    "--max-duration",
    "3s",
  );
  expect(end.exitCode, end.stderr).toBe(7);
  const outputs = await readOutputs(stage.outDir);
  expect(outputs.summary).toMatchObject({ status: "stopped", statusReason: "max-duration" });
  expect(outputs.summary.rows).toMatchObject({ failed: 0, open: 0 });
  expect(outputs.summary.rows.succeeded).toBe(agent.stats().tasks);
  expect(agent.stats().tasks).toBeLessThanOrEqual(20 * (3 + ORDER_LIMIT_MS / 1000));

  const further = await stage.run("retry", "--last", "--max-duration", "2s");
  expect(further.exitCode, further.stderr).toBe(7);
  const later = await readOutputs(stage.outDir);
  expect(later.summary.rows.succeeded).toBeGreaterThan(outputs.summary.rows.succeeded);
  expect(agent.stats()).toMatchObject({
    tasks: later.summary.rows.succeeded,
    repeatedMessageIds: 0,
  });
});

test("a stop is not held up by a long Retry-After", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({
    ...QUICK,
    faults: [{ match: { method: "SendMessage" }, effect: { kind: "throttle", retryAfter: "600" } }],
  });
  const watch = stage.watch();
  context.onTestFinished(() => watch.stop());
  const run = stage.start("run", await stage.partners(200), "--rate", "100", "--poll-rate", "400");
  await watch.until(({ rateLimited }) => Number(rateLimited) > 0);
  // By now rows wait at the gate, for minutes.
  await order(stage, "cancel", stage.runId, "--yes");
  const sends = agent.stats().calls.SendMessage;
  const canceledAtMs = performance.now();
  const end = await run.ended;
  expect(end.exitCode, end.stderr).toBe(7);
  expect(performance.now() - canceledAtMs).toBeLessThan(15_000);
  expect(agent.stats().calls.SendMessage).toBe(sends);
  const outputs = await readOutputs(stage.outDir);
  expect(outputs.summary.rows).toMatchObject({ unprocessed: 200, failed: 0 });
  // What was taken back was never sent.
  expect(outputs.summary.calls.sendMessage).toBe(sends);
});

test("orders are refused where they make no sense", async (context) => {
  const stage = await openStage(context);
  await stage.agent({ duration: { kind: "fixed", ms: 10 } });
  const nowhere = await stage.run("pause", "nothing");
  expect(nowhere.exitCode).toBe(2);
  expect((await stage.run("cancel")).stderr).toContain("which run?");
  await stage.run("run", await stage.partners(2), "--rate", "100");
  for (const words of [["pause"], ["resume"], ["cancel", "--yes"]]) {
    const [name = "", ...flags] = words;
    const end = await stage.run(name, stage.runId, ...flags);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain("completed");
  }
});

test("a run can be paused and canceled while no process works on it", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent(QUICK);
  const file = await stage.partners(50);
  await stage.run("ingest", file, "--rate", "50");
  expect(await order(stage, "pause", stage.runId)).toContain("is paused");
  const run = stage.start("run", file, "--rate", "50");
  expect(await lateSends(agent, 1)).toBe(0);
  await order(stage, "cancel", stage.runId, "--yes");
  const end = await run.ended;
  expect(end.exitCode, end.stderr).toBe(7);
  const outputs = await readOutputs(stage.outDir);
  expect(outputs.summary.rows).toMatchObject({ unprocessed: 50, succeeded: 0 });
  expect(agent.stats().calls.SendMessage).toBe(0);
});
