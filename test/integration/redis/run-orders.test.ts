import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import type { RunLimits } from "../../../src/redis/run-record.ts";
import type { TestRun } from "../../helpers/run-for-tests.ts";
import {
  createTestRun,
  openTestRedis,
  sumOfParts,
  testOutcome,
  testTask,
} from "../../helpers/run-for-tests.ts";

async function setup(): Promise<TestRun> {
  const { client } = await openTestRedis();
  return createTestRun(client);
}

async function setupBegun(total: number, limits: RunLimits = {}): Promise<TestRun> {
  const run = await setup();
  await run.record.begin({ total, pending: total, failedWhenRead: new Map(), limits });
  return run;
}

const BEAT = { agent: "unknown" } as const;

/** What a heartbeat sees of the run. */
async function statusOf(run: TestRun): Promise<string> {
  await run.record.heartbeat(BEAT);
  const { status, statusReason } = await run.progress();
  return [status, statusReason].filter((word) => word !== "").join(" ");
}

/** Ends so many more rows. */
async function endRows(run: TestRun, count: number, kind: "succeeded" | "failed") {
  const ended = await run.client.hlen(run.keys.ledger);
  for (let row = ended + 1; row <= ended + count; row += 1) {
    await run.ledger.recordOutcome(testOutcome(row, kind), 1, "");
  }
}

describe("pausing", () => {
  test("a run that goes on is paused by an operator and resumed", async () => {
    const run = await setupBegun(2);
    expect(await run.record.setPaused("pause")).toBe("running");
    expect(await statusOf(run)).toBe("paused operator");
    expect(await run.record.setPaused("pause")).toBe("paused");
    expect(await run.record.setPaused("resume")).toBe("paused");
    expect(await statusOf(run)).toBe("running");
  });

  test("a run that is still being read in stays paused when it begins, with its total", async () => {
    const run = await setup();
    await run.record.setPaused("pause");
    await run.record.begin({ total: 3, pending: 3, failedWhenRead: new Map() });
    expect(await run.progress()).toMatchObject({ status: "paused", total: 3, pending: 3 });
    await run.record.setPaused("resume");
    expect(await statusOf(run)).toBe("running");
  });

  test("one that is resumed before it begins is being read in again", async () => {
    const run = await setup();
    await run.record.setPaused("pause");
    await run.record.setPaused("resume");
    expect(await run.progress()).toMatchObject({ status: "ingesting" });
    await run.record.begin({ total: 3, pending: 3, failedWhenRead: new Map() });
    expect(await statusOf(run)).toBe("running");
  });

  test("a run that stops, has settled or is unknown is left as it is", async () => {
    const stopping = await setupBegun(1);
    await stopping.record.stop("refused");
    expect(await stopping.record.setPaused("pause")).toBe("stopping");
    expect(await stopping.record.setPaused("resume")).toBe("stopping");
    expect(await statusOf(stopping)).toBe("stopping refused");
    const unknown = await setup();
    await unknown.client.del(unknown.keys.progress);
    expect(await unknown.record.setPaused("pause")).toBeUndefined();
    expect(await unknown.record.stop("operator")).toBeUndefined();
    expect(await unknown.client.exists(unknown.keys.progress)).toBe(0);
  });
});

describe("canceling", () => {
  test.each(["ingesting", "running", "paused"] as const)(
    "a run that is %s stops",
    async (status) => {
      const run = await setup();
      if (status !== "ingesting") {
        await run.record.begin({ total: 2, pending: 2, failedWhenRead: new Map() });
      }
      if (status === "paused") await run.record.setPaused("pause");
      expect(await run.record.stop("operator")).toBe(status);
      const pulse = await run.record.heartbeat(BEAT);
      expect(pulse).toMatchObject({ status: "stopping", isCanceled: true });
    },
  );

  test("one that a limit has stopped ends as canceled", async () => {
    const run = await setupBegun(2);
    await run.record.stop("max-failures");
    expect(await run.record.heartbeat(BEAT)).toMatchObject({ isCanceled: false });
    await run.record.stop("operator");
    expect(await run.record.heartbeat(BEAT)).toMatchObject({ isCanceled: true });
    expect(await run.record.settle(true)).toBe("canceled");
  });

  test("a limit does not change the reason of a cancel", async () => {
    const run = await setupBegun(2);
    await run.record.stop("operator");
    await run.record.stop("refused");
    expect(await statusOf(run)).toBe("stopping operator");
  });
});

describe("the limits of a run", () => {
  test("one failed row more than allowed stops it", async () => {
    const run = await setupBegun(10, { maxFailures: { kind: "rows", rows: 2 } });
    await endRows(run, 2, "failed");
    expect(await statusOf(run)).toBe("running");
    await endRows(run, 1, "failed");
    expect(await statusOf(run)).toBe("stopping max-failures");
  });

  test("none is allowed with 0", async () => {
    const run = await setupBegun(10, { maxFailures: { kind: "rows", rows: 0 } });
    await endRows(run, 3, "succeeded");
    expect(await statusOf(run)).toBe("running");
    await endRows(run, 1, "failed");
    expect(await statusOf(run)).toBe("stopping max-failures");
  });

  test("a percentage counts from 20 settled rows on, and more than it stops", async () => {
    const run = await setupBegun(100, { maxFailures: { kind: "percent", percent: 10 } });
    await endRows(run, 19, "failed");
    expect(await statusOf(run)).toBe("running");
    await endRows(run, 1, "failed");
    expect(await statusOf(run)).toBe("stopping max-failures");

    const just = await setupBegun(100, { maxFailures: { kind: "percent", percent: 10 } });
    await endRows(just, 2, "failed");
    await endRows(just, 18, "succeeded");
    expect(await statusOf(just)).toBe("running");
    await endRows(just, 1, "failed");
    expect(await statusOf(just)).toBe("stopping max-failures");
  });

  test("its time stops it, also while it is paused", async () => {
    const run = await setupBegun(10, { sendUntilMs: Date.now() + 300 });
    await run.record.setPaused("pause");
    expect(await statusOf(run)).toBe("paused operator");
    await delay(400);
    expect(await statusOf(run)).toBe("stopping max-duration");
  });

  test("with nothing left to send there is nothing to stop", async () => {
    const limits = { maxFailures: { kind: "rows", rows: 0 }, sendUntilMs: 1 } as const;
    const run = await setupBegun(2, limits);
    await run.ledger.recordTask(testTask(1));
    await endRows(run, 1, "failed");
    expect(await statusOf(run)).toBe("running");
  });
});

describe("reopening", () => {
  const BEGINNING = {
    total: 5,
    pending: 4,
    failedWhenRead: new Map([["NAME_MISSING", 1]] as const),
  };

  async function setupSettled(): Promise<TestRun> {
    const run = await setup();
    await run.record.begin({ ...BEGINNING, limits: { sendUntilMs: Date.now() + 60_000 } });
    await run.ledger.recordOutcome(testOutcome(2), 1, "accepted");
    await run.ledger.recordOutcome(testOutcome(3, "failed"), 1, "refused");
    await run.record.countCall("getTaskCalls");
    await run.client.xtrim(run.keys.results, "MAXLEN", 0);
    await run.record.stop("max-failures");
    expect(await run.record.settle(true)).toBe("stopped");
    await run.record.expire(60_000);
    return run;
  }

  test("every row that can be sent is pending again; calls and start go on, for as long as it takes", async () => {
    const run = await setupSettled();
    const before = await run.progress();
    expect(await run.record.reopen(BEGINNING)).toBe(true);
    const after = await run.progress();
    expect(after).toMatchObject({
      status: "running",
      statusReason: "",
      total: 5,
      pending: 4,
      failed: 1,
      succeeded: 0,
      unprocessed: 0,
      finishedAt: "",
      getTaskCalls: 1,
      startedAt: before.startedAt,
    });
    expect(sumOfParts(after)).toBe(5);
    expect(await run.record.failures()).toEqual({ NAME_MISSING: 1 });
    expect(await run.client.pttl(run.keys.progress)).toBe(-1);
    expect(await run.client.pttl(run.keys.settings)).toBe(-1);
  });

  test("it is not limited by what limited it before, but by what it is reopened with", async () => {
    const run = await setupSettled();
    await run.record.reopen(BEGINNING);
    expect(await statusOf(run)).toBe("running");
    const limited = await setupSettled();
    await limited.record.reopen({ ...BEGINNING, limits: { sendUntilMs: Date.now() } });
    expect(await statusOf(limited)).toBe("stopping max-duration");
  });

  test("a run that goes on is not reopened", async () => {
    const run = await setupBegun(2);
    await run.ledger.recordTask(testTask(1));
    expect(await run.record.reopen(BEGINNING)).toBe(false);
    expect(await run.progress()).toMatchObject({ total: 2, open: 1 });
  });

  test("rows are sent again as messages of a new try group, unless they have gone on", async () => {
    const run = await setupBegun(3);
    await run.ledger.recordOutcome(testOutcome(2), 1, "");
    await run.ledger.recordTask(testTask(3));
    await run.ledger.reopenRows([1, 2, 3].map((row) => ({ row, tryGroup: 2 })));
    const states = await run.ledger.states([1, 2, 3]);
    expect(states[0]).toEqual({ kind: "intent", tryGroup: 2 });
    expect(states.slice(1).map(({ kind }) => kind)).toEqual(["done", "open"]);
  });
});
