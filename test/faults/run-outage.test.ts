import { describe, expect, test } from "vitest";
import { doneRows, identityOf } from "../helpers/progress-watch.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage, type Stage, type StageAgent } from "../helpers/stage.ts";

/** Enough for a machine that is busy with other things; a quiet one takes a fraction. */
const PATIENCE = { timeout: 180_000 };

const ROWS = 120;
const RATES = ["--rate", "30", "--poll-rate", "100"];
const AGENT = { duration: { kind: "uniform", minMs: 100, maxMs: 800 } } as const;

describe.concurrent("an agent that is away", PATIENCE, () => {
  test("at the start is waited for, and costs no row anything", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(AGENT);
    const gateway = await stage.gateway(agent, "cut");
    const process = stage.start("run", await stage.partners(ROWS), ...RATES);
    const watch = stage.watch();
    await process.untilSaid("agent.away");
    const waiting = await watch.until(({ statusReason }) => statusReason === "agent-down");
    expect(waiting).toMatchObject({ status: "running", pending: String(ROWS), failed: "0" });
    expect(agent.stats().calls.card).toBe(0);
    await gateway.mend();
    const end = await process.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectEveryRowOnce(stage, agent);
    expect((await readOutputs(stage.outDir)).summary).toMatchObject({
      statusReason: "",
      calls: { retries: 0 },
    });
  });

  test("for 5 s in the middle fails no row", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(AGENT);
    const gateway = await stage.gateway(agent);
    const watch = stage.watch();
    const process = stage.start("run", await stage.partners(ROWS), ...RATES);
    await watch.until((reading) => doneRows(reading) >= 20);
    await gateway.cut();
    await watch.until(({ statusReason }) => statusReason === "agent-down");
    // What the gateway had let in before may still be on its way to the agent.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const sentBefore = agent.stats().calls.SendMessage;
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expect(agent.stats().calls.SendMessage).toBe(sentBefore);
    await gateway.mend();
    const end = await process.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectEveryRowOnce(stage, agent);
    for (const reading of watch.readings.filter(({ total }) => total !== "0")) {
      expect(identityOf(reading)).toEqual({ total: ROWS, parts: ROWS });
    }
  });
});

describe.concurrent("a Redis that is restarted in the middle", PATIENCE, () => {
  test.for(["restarted cleanly", "killed and started again"] as const)(
    "and was %s leaves every row settled once",
    async (how, context) => {
      const stage = await openStage(context);
      const redis = await stage.privateRedis({ durable: true });
      const agent = await stage.agent(AGENT);
      const watch = stage.watch();
      const process = stage.start("run", await stage.partners(ROWS), ...RATES);
      await watch.until((reading) => doneRows(reading) >= 20);
      if (how === "killed and started again") await redis.kill();
      await redis.restart();
      const end = await process.ended;
      expect(end.exitCode, end.stderr).toBe(0);
      await expectEveryRowOnce(stage, agent);
      for (const reading of watch.readings.filter(({ total }) => total !== "0")) {
        expect(identityOf(reading)).toEqual({ total: ROWS, parts: ROWS });
      }
    },
  );

  test("keeps answers that came meanwhile: nothing is paid for twice", async (context) => {
    const stage = await openStage(context);
    const redis = await stage.privateRedis({ durable: true });
    const agent = await stage.agent({
      ...AGENT,
      dedupeMessageIds: false,
      // Answers are under way when Redis goes, and come while it is gone.
      faults: [{ match: { method: "SendMessage" }, effect: { kind: "slow", ms: 700 } }],
    });
    const watch = stage.watch();
    const process = stage.start("run", await stage.partners(ROWS), ...RATES);
    await watch.until((reading) => doneRows(reading) >= 20);
    await redis.kill();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    await redis.restart();
    const end = await process.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    // This agent makes a task of every message it gets.
    await expectEveryRowOnce(stage, agent);
  });
});

async function expectEveryRowOnce(stage: Stage, agent: StageAgent): Promise<void> {
  const outputs = await readOutputs(stage.outDir);
  expect(allRows(outputs)).toEqual(rowsUpTo(ROWS));
  expect(outputs.results.rows).toHaveLength(ROWS);
  expect(outputs.summary.rows).toMatchObject({ succeeded: ROWS, failed: 0, pending: 0, open: 0 });
  expect(agent.stats().tasks).toBe(ROWS);
}
