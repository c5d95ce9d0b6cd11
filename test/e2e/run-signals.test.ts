import { describe, expect, test } from "vitest";
import { doneRows } from "../helpers/progress-watch.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage } from "../helpers/stage.ts";

/** Enough for a machine that is busy with other things; a quiet one takes a fraction. */
const PATIENCE = { timeout: 180_000 };

const ROWS = 60;
const RATES = ["--rate", "30", "--poll-rate", "100"];
/** 5 s of patience with a silent Redis, the looks at it, and what a busy machine takes besides. */
const ENDS_WITHIN_MS = 10_000;

describe.concurrent("a signal in the middle of a run", PATIENCE, () => {
  test.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s ends it with exit %i after the calls in flight; the same command goes on",
    async ([signal, exitCode], context) => {
      const stage = await openStage(context);
      const agent = await stage.agent({
        duration: { kind: "fixed", ms: 300 },
        faults: [{ match: { method: "SendMessage" }, effect: { kind: "slow", ms: 400 } }],
      });
      const file = await stage.partners(ROWS);
      const watch = stage.watch();
      const first = stage.start("run", file, ...RATES);
      await watch.until((reading) => doneRows(reading) >= 10);
      first.signal(signal);
      const signaledAtMs = performance.now();
      const end = await first.ended;
      expect(end.exitCode, end.stderr).toBe(exitCode);
      expect(performance.now() - signaledAtMs).toBeLessThan(ENDS_WITHIN_MS);
      expect(end.stderr).toContain("the same command");
      expect(end.stderr).toContain(`onboard-batch report ${stage.runId}`);

      // Every task that was made is known: no call was cut off.
      const progress = await stage.redis.hgetall(`onboard-batch:{${stage.runId}}:progress`);
      expect(progress).toMatchObject({ status: "running", failed: "0" });
      expect(Number(progress["total"]) - Number(progress["pending"])).toBe(agent.stats().tasks);
      expect(Number(progress["pending"])).toBeGreaterThan(0);

      const again = await stage.run("run", file, ...RATES);
      expect(again.exitCode, again.stderr).toBe(0);
      expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(ROWS));
      expect(agent.stats()).toMatchObject({ tasks: ROWS, repeatedMessageIds: 0 });
      expect(agent.stats().calls.SendMessage).toBe(ROWS);
    },
  );

  test("the second one ends it at once, whatever is on the wire", async (context) => {
    const stage = await openStage(context);
    await stage.agent({
      faults: [{ match: { method: "SendMessage" }, effect: { kind: "hang" } }],
    });
    const watch = stage.watch();
    const process = stage.start("run", await stage.partners(5));
    await watch.until(({ sendMessageCalls }) => sendMessageCalls !== "0");
    process.signal("SIGINT");
    await process.untilSaid("once more");
    // Two signals within 100 ms count as one.
    await new Promise((resolve) => setTimeout(resolve, 300));
    process.signal("SIGINT");
    const signaledAtMs = performance.now();
    const end = await process.ended;
    expect(end.exitCode).toBe(130);
    expect(performance.now() - signaledAtMs).toBeLessThan(5_000);
  });

  test("while the agent is away ends it soon", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent();
    await stage.gateway(agent, "cut");
    const process = stage.start("run", await stage.partners(5));
    await process.untilSaid("agent.away");
    process.signal("SIGTERM");
    const signaledAtMs = performance.now();
    const end = await process.ended;
    expect(end.exitCode, end.stderr).toBe(143);
    expect(performance.now() - signaledAtMs).toBeLessThan(ENDS_WITHIN_MS);
  });

  test.for(["frozen", "gone"] as const)(
    "while Redis is %s ends it within seconds; the same command goes on",
    async (trouble, context) => {
      const stage = await openStage(context);
      const redis = await stage.privateRedis({ durable: true });
      const agent = await stage.agent({ duration: { kind: "fixed", ms: 300 } });
      const file = await stage.partners(ROWS);
      const watch = stage.watch();
      const first = stage.start("run", file, ...RATES);
      await watch.until((reading) => doneRows(reading) >= 10);
      if (trouble === "frozen") redis.freeze();
      else await redis.kill();
      // Long enough that calls wait for Redis, not for the agent.
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      first.signal("SIGINT");
      const signaledAtMs = performance.now();
      const end = await first.ended;
      expect(end.exitCode, end.stderr).toBe(130);
      expect(performance.now() - signaledAtMs).toBeLessThan(ENDS_WITHIN_MS);

      if (trouble === "frozen") redis.thaw();
      else await redis.restart();
      const again = await stage.run("run", file, ...RATES);
      expect(again.exitCode, again.stderr).toBe(0);
      expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(ROWS));
      expect(agent.stats().tasks).toBe(ROWS);
    },
  );
});
