import { describe, expect, onTestFinished, test } from "vitest";
import type { RowOutcome } from "../../../src/core/outcome.ts";
import type { InputFacts } from "../../../src/core/summary.ts";
import { RUNS_KEY, runKeys } from "../../../src/redis/keys.ts";
import { RunRecord } from "../../../src/redis/run-record.ts";
import type { TestRun } from "../../helpers/run-for-tests.ts";
import {
  createTestRun,
  openTestRedis,
  sumOfParts,
  testOutcome,
  testTask,
} from "../../helpers/run-for-tests.ts";

async function setup(total?: number, pending = total) {
  const { client } = await openTestRedis();
  const run = await createTestRun(client);
  if (total !== undefined && pending !== undefined) {
    const failed = total - pending;
    const failedWhenRead = new Map(failed === 0 ? [] : [["NAME_MISSING", failed] as const]);
    await run.record.begin({ total, pending, failedWhenRead });
  }
  return run;
}

/** Outcomes as the collector takes them away. */
async function collect(run: TestRun): Promise<void> {
  await run.client.xtrim(run.keys.results, "MAXLEN", 0);
}

async function end(run: TestRun, row: number, kind: RowOutcome["kind"] = "succeeded") {
  await run.ledger.recordOutcome(testOutcome(row, kind), 1, "");
  await collect(run);
}

const BEAT = { agent: "unknown" } as const;

describe("opening", () => {
  test("a run is listed by its start time and shows an empty progress", async () => {
    const run = await setup();
    expect(await run.progress()).toMatchObject({ status: "ingesting", total: 0, finishedAt: "" });
    expect(await run.client.zscore(RUNS_KEY, run.settings.runId)).toBe(
      String(run.settings.startedAtMs),
    );
  });

  test("a second start gets the settings of the first, start time included", async () => {
    const run = await setup();
    const second = new RunRecord(run.client, run.settings.runId);
    const later = { ...run.settings, startedAtMs: run.settings.startedAtMs + 5_000, attempts: 99 };
    expect(await second.open(later)).toEqual(run.settings);
  });

  test("counters that were left behind without a status do not hinder a new beginning", async () => {
    const run = await setup();
    await run.client.del(run.keys.progress);
    await run.record.countCall("getTaskCalls");
    expect(await run.record.progress()).toBeUndefined();
    await run.record.open(run.settings);
    expect(await run.progress()).toMatchObject({ status: "ingesting", getTaskCalls: 0 });
  });

  test("times are ISO 8601 of Redis' clock to the millisecond", async () => {
    const run = await setup(1);
    const { updatedAt, startedAt } = await run.progress();
    expect(updatedAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(new Date(updatedAt).toISOString()).toBe(updatedAt);
    expect(Math.abs(Date.parse(updatedAt) - Date.now())).toBeLessThan(2_000);
    expect(Date.parse(startedAt)).toBe(run.settings.startedAtMs);
  });
});

describe("beginning", () => {
  test("total and parts appear together, with what failed when it was read", async () => {
    const run = await setup(10, 7);
    const progress = await run.progress();
    expect(progress).toMatchObject({ status: "running", total: 10, pending: 7, failed: 3 });
    expect(sumOfParts(progress)).toBe(10);
    expect(await run.record.failures()).toEqual({ NAME_MISSING: 3 });
  });

  test("a second beginning changes nothing", async () => {
    const run = await setup(10);
    await end(run, 1);
    await run.record.begin({ total: 99, pending: 99, failedWhenRead: new Map() });
    expect(await run.progress()).toMatchObject({ total: 10, pending: 9, succeeded: 1 });
  });
});

describe("settling", () => {
  test("a run with every row done is completed, once its outcomes are in the journal", async () => {
    const run = await setup(2);
    await end(run, 1);
    expect(await run.record.settle(true)).toBeUndefined();
    await run.ledger.recordOutcome(testOutcome(2), 1, "");
    expect(await run.record.settle(true)).toBeUndefined();
    await collect(run);
    expect(await run.record.settle(false)).toBe("completed");
    const { status, statusReason, finishedAt } = await run.progress();
    expect({ status, statusReason }).toEqual({ status: "completed", statusReason: "" });
    expect(Math.abs(Date.parse(finishedAt) - Date.now())).toBeLessThan(2_000);
  });

  test("settling again keeps the first end", async () => {
    const run = await setup(1);
    await end(run, 1);
    await run.record.settle(true);
    const first = await run.progress();
    expect(await run.record.settle(true)).toBe("completed");
    expect(await run.progress()).toEqual(first);
  });

  test("a run of bad rows alone is completed without a call", async () => {
    const run = await setup(3, 0);
    expect(await run.record.settle(true)).toBe("completed");
  });

  test("a run that has not begun does not settle", async () => {
    const run = await setup();
    expect(await run.record.settle(true)).toBeUndefined();
  });

  test.each([
    { reason: "operator", ended: "canceled" },
    { reason: "refused", ended: "stopped" },
    { reason: "max-failures", ended: "stopped" },
  ] as const)(
    "a run stopped by $reason follows its open tasks, then is $ended",
    async (expected) => {
      const run = await setup(5);
      await run.ledger.recordTask(testTask(1));
      await end(run, 2);
      await run.record.stop(expected.reason);
      expect(await run.progress()).toMatchObject({ status: "stopping", finishedAt: "" });
      expect(await run.record.settle(true)).toBeUndefined();
      await end(run, 1, "needs-input");
      // A send may be on the wire: what comes back is still taken in.
      expect(await run.record.settle(false)).toBeUndefined();
      expect(await run.record.settle(true)).toBe(expected.ended);
      const progress = await run.progress();
      expect(progress).toMatchObject({ pending: 0, unprocessed: 3, succeeded: 1, needsInput: 1 });
      expect(progress.statusReason).toBe(expected.reason);
      expect(sumOfParts(progress)).toBe(5);
    },
  );

  test("a stopping run whose rows all ended first keeps its reason", async () => {
    const run = await setup(1);
    await run.record.stop("operator");
    await end(run, 1);
    expect(await run.record.settle(false)).toBe("canceled");
    expect(await run.progress()).toMatchObject({ unprocessed: 0, succeeded: 1 });
  });

  test("only a run that goes on can be stopped, and the first reason stays", async () => {
    const run = await setup(1);
    await run.record.stop("max-duration");
    await run.record.stop("refused");
    expect((await run.progress()).statusReason).toBe("max-duration");
    await end(run, 1);
    await run.record.settle(true);
    await run.record.stop("operator");
    expect(await run.progress()).toMatchObject({ status: "stopped", statusReason: "max-duration" });
  });
});

describe("the heartbeat", () => {
  test("it shows the time and tells how the run stands", async () => {
    const run = await setup(2);
    await run.client.hset(run.keys.progress, "heartbeatAt", "");
    await run.client.sadd(run.keys.places, "1", "2");
    await run.client.hset(run.keys.private, "backlogBytes", 77);
    expect(await run.record.heartbeat(BEAT)).toEqual({
      status: "running",
      backlogBytes: 77,
      placesTaken: 2,
      isCanceled: false,
    });
    const { heartbeatAt } = await run.progress();
    expect(Math.abs(Date.parse(heartbeatAt) - Date.now())).toBeLessThan(2_000);
  });

  test("it names an agent that is away, and no longer when it is back", async () => {
    const run = await setup(2);
    await run.record.heartbeat({ agent: "away" });
    expect((await run.progress()).statusReason).toBe("agent-down");
    await run.record.heartbeat(BEAT);
    expect((await run.progress()).statusReason).toBe("agent-down");
    await run.record.heartbeat({ agent: "answers" });
    expect((await run.progress()).statusReason).toBe("");
  });

  test("it leaves the reason of a run that is stopping", async () => {
    const run = await setup(2);
    await run.record.stop("operator");
    await run.record.heartbeat({ agent: "away" });
    expect((await run.progress()).statusReason).toBe("operator");
  });

  test("a run that Redis has forgotten stays forgotten", async () => {
    const run = await setup(2);
    await run.client.del(run.keys.progress, run.keys.private);
    expect((await run.record.heartbeat(BEAT)).status).toBeUndefined();
    expect(await run.client.exists(run.keys.progress, run.keys.private)).toBe(0);
  });
});

describe("refused credentials", () => {
  test("they are told at once when no other process works on the run, until an answer comes", async () => {
    const run = await setup(2);
    await run.record.heartbeat({ agent: "answers" });
    await run.record.noteRefused();
    expect((await run.progress()).statusReason).toBe("credentials");
    await run.record.heartbeat(BEAT);
    expect((await run.progress()).statusReason).toBe("credentials");
    await run.record.heartbeat({ agent: "answers" });
    expect((await run.progress()).statusReason).toBe("");
  });

  test("while another process had a heartbeat within 10 s they are not", async () => {
    const run = await setup(2);
    await run.client.hset(run.keys.private, "seen:another", Date.now());
    await run.record.noteRefused();
    expect((await run.progress()).statusReason).toBe("");
    await run.record.heartbeat(BEAT);
    expect((await run.progress()).statusReason).toBe("");
  });

  test("they are told when nobody has had an accepted call for a minute", async () => {
    const run = await setup(2);
    await run.client.hset(run.keys.private, "refusedAt", Date.now() - 61_000, "acceptedAt", 1);
    await run.record.heartbeat(BEAT);
    expect((await run.progress()).statusReason).toBe("credentials");
  });

  test("a run that is stopping keeps the reason that decides its end", async () => {
    const run = await setup(2);
    await run.record.stop("operator");
    await run.record.noteRefused();
    expect((await run.progress()).statusReason).toBe("operator");
    expect(await run.record.settle(true)).toBe("canceled");
  });
});

describe("what belongs to a run besides its counters", () => {
  test("calls are counted by kind", async () => {
    const run = await setup(1);
    await Promise.all([
      run.record.countCall("getTaskCalls"),
      run.record.countCall("getTaskCalls"),
      run.record.countCall("cancelTaskCalls"),
      run.record.countCall("rateLimited"),
    ]);
    const calls = { getTaskCalls: 2, cancelTaskCalls: 1, rateLimited: 1 };
    expect(await run.progress()).toMatchObject(calls);
  });

  test("the first output folder that is claimed stays the run's", async () => {
    const run = await setup();
    const here = { host: "here", dir: "/out" };
    expect(await run.record.outputPlace()).toBeUndefined();
    expect(await run.record.claimOutput(here)).toEqual(here);
    expect(await run.record.claimOutput({ host: "there", dir: "/other" })).toEqual(here);
    expect(await run.record.outputPlace()).toEqual(here);
  });

  test("the facts about the input come back as they were", async () => {
    const run = await setup();
    expect(await run.record.inputFacts()).toBeUndefined();
    const facts: InputFacts = {
      file: "partners.csv",
      sha256: "00",
      rows: 1,
      encoding: "utf-8",
      delimiter: ",",
      skipped: [],
      warnings: ["a warning"],
    };
    await run.record.setInputFacts(facts);
    expect(await run.record.inputFacts()).toEqual(facts);
  });

  test("row data goes at once when a run is over, the counters after their time", async () => {
    const run = await setup(2);
    await run.ledger.recordTask(testTask(1));
    await end(run, 2);
    await run.record.expire(60_000);
    const { ledger, results, places, progress, failures, settings, private: own } = run.keys;
    expect(await run.client.exists(ledger, results, places)).toBe(0);
    for (const key of [progress, settings, own]) {
      expect(await run.client.pttl(key)).toSatisfy((ms: number) => ms > 0 && ms <= 60_000);
    }
    expect(await run.client.pttl(failures)).toBe(-2);
  });

  test("an unknown run has neither progress nor failures", async () => {
    const { client } = await openTestRedis();
    const record = new RunRecord(client, "no-such-run");
    onTestFinished(async () => {
      await client.unlink(runKeys("no-such-run").private);
    });
    expect(await record.progress()).toBeUndefined();
    expect(await record.failures()).toEqual({});
    expect(await record.inputFacts()).toBeUndefined();
  });
});
