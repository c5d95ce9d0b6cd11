import { describe, expect, test } from "vitest";
import type { TestRun } from "../../helpers/run-for-tests.ts";
import {
  createTestRun,
  openTestRedis,
  sumOfParts,
  testOutcome,
  testTask,
} from "../../helpers/run-for-tests.ts";

async function setup(total = 3, settings: Parameters<typeof createTestRun>[1] = {}) {
  const { client } = await openTestRedis();
  return createTestRun(client, { total, ...settings });
}

async function beginSend(run: TestRun, row: number, tryGroup = 0) {
  return run.ledger.beginSend({ row, tryGroup, ...(await run.lock(row)) });
}

describe("leave to send", () => {
  test("a first send gets leave, notes its intent and is counted", async () => {
    const run = await setup();
    expect(await beginSend(run, 1)).toEqual({ kind: "go", first: true });
    expect(await run.ledger.states([1, 2])).toEqual([
      { kind: "intent", tryGroup: 0 },
      { kind: "unsent" },
    ]);
    expect(await run.progress()).toMatchObject({ sendMessageCalls: 1, retries: 0, pending: 3 });
  });

  test("a repeat gets leave and counts as a retry", async () => {
    const run = await setup();
    await beginSend(run, 1);
    expect(await beginSend(run, 1)).toEqual({ kind: "go", first: false });
    expect(await run.progress()).toMatchObject({ sendMessageCalls: 2, retries: 1 });
  });

  test("a process that does not hold the job's lock gets none and changes nothing", async () => {
    const run = await setup();
    const { lockKey } = await run.lock(1, "the-new-owner");
    const leave = await run.ledger.beginSend({ row: 1, tryGroup: 0, lockKey, token: "a-zombie" });
    expect(leave).toEqual({ kind: "lost" });
    await run.client.del(lockKey);
    expect(await run.ledger.beginSend({ row: 1, tryGroup: 0, lockKey, token: "a-zombie" })).toEqual(
      { kind: "lost" },
    );
    expect(await run.ledger.states([1])).toEqual([{ kind: "unsent" }]);
    expect((await run.progress()).sendMessageCalls).toBe(0);
  });

  test("a row that has a task is not sent again: its task comes back", async () => {
    const run = await setup();
    await beginSend(run, 1);
    await run.ledger.recordTask(testTask(1));
    expect(await beginSend(run, 1)).toEqual({ kind: "task", entry: testTask(1) });
    expect((await run.progress()).sendMessageCalls).toBe(1);
  });

  test("a row that is done is not sent again", async () => {
    const run = await setup();
    await run.ledger.recordOutcome(testOutcome(1), 1, "");
    expect(await beginSend(run, 1)).toEqual({ kind: "done" });
  });

  test("a late repeat of a try group that was given up is not sent beside the new one", async () => {
    const run = await setup();
    await beginSend(run, 1);
    await run.ledger.recordTask(testTask(1));
    await run.ledger.dropTask(testTask(1));
    expect(await beginSend(run, 1, 0)).toEqual({ kind: "done" });
    expect(await beginSend(run, 1, 1)).toEqual({ kind: "go", first: false });
  });

  test.each([
    { status: "ingesting", leave: { kind: "hold" } },
    { status: "paused", leave: { kind: "hold" } },
    { status: "stopping", leave: { kind: "stopped" } },
    { status: "completed", leave: { kind: "stopped" } },
  ])("a run that is $status answers $leave.kind", async ({ status, leave }) => {
    const run = await setup();
    await run.client.hset(run.keys.progress, "status", status);
    expect(await beginSend(run, 1)).toEqual(leave);
    expect(await run.ledger.states([1])).toEqual([{ kind: "unsent" }]);
  });

  test("a run that Redis has forgotten begins no send", async () => {
    const run = await setup();
    await run.client.del(run.keys.progress, run.keys.ledger);
    expect(await beginSend(run, 1)).toEqual({ kind: "stopped" });
    expect(await run.client.exists(run.keys.progress, run.keys.ledger)).toBe(0);
  });

  test("too much that no journal has yet holds all sends, until it is taken away", async () => {
    const run = await setup(3, { settings: { backlogBytes: 300 } });
    await run.ledger.recordOutcome(testOutcome(1, "succeeded", "x".repeat(300)), 1, "");
    expect(await beginSend(run, 2)).toEqual({ kind: "hold" });
    await run.client.hset(run.keys.private, "backlogBytes", 300);
    expect(await beginSend(run, 2)).toEqual({ kind: "go", first: true });
  });

  test("no more rows hold a place than may have open tasks; an outcome frees one", async () => {
    const run = await setup(3, { settings: { maxOpenTasks: 2 } });
    expect(await beginSend(run, 1)).toMatchObject({ kind: "go" });
    expect(await beginSend(run, 2)).toMatchObject({ kind: "go" });
    expect(await beginSend(run, 3)).toEqual({ kind: "hold" });
    // Who has a place keeps it for a repeat.
    expect(await beginSend(run, 2)).toMatchObject({ kind: "go" });
    await run.ledger.recordOutcome(testOutcome(1), 1, "");
    expect(await beginSend(run, 3)).toMatchObject({ kind: "go" });
  });

  test("of fifty rows that ask at the same time no more get leave than there are places", async () => {
    const run = await setup(50, { settings: { maxOpenTasks: 7 } });
    const rows = Array.from({ length: 50 }, (_, index) => index + 1);
    const leaves = await Promise.all(rows.map((row) => beginSend(run, row)));
    expect(leaves.filter(({ kind }) => kind === "go")).toHaveLength(7);
  });
});

describe("a send that was never written", () => {
  test("a first one leaves no trace", async () => {
    const run = await setup();
    await beginSend(run, 1);
    await run.ledger.undoSend(1, true);
    expect(await run.ledger.states([1])).toEqual([{ kind: "unsent" }]);
    expect(await run.progress()).toMatchObject({ sendMessageCalls: 0, retries: 0 });
  });

  test("a repeat keeps the intent, since an earlier send may have been written", async () => {
    const run = await setup();
    await beginSend(run, 1);
    await beginSend(run, 1);
    await run.ledger.undoSend(1, false);
    expect(await run.ledger.states([1])).toEqual([{ kind: "intent", tryGroup: 0 }]);
    expect(await run.progress()).toMatchObject({ sendMessageCalls: 1, retries: 0 });
  });

  test("a task that somebody else recorded meanwhile stays", async () => {
    const run = await setup();
    await beginSend(run, 1);
    await run.ledger.recordTask(testTask(1));
    await run.ledger.undoSend(1, true);
    expect(await run.ledger.states([1])).toEqual([{ kind: "open", entry: testTask(1) }]);
  });
});

describe("the task of a row", () => {
  test("it moves the row and its duplicates from pending to open", async () => {
    const run = await setup(5);
    const task = testTask(1, { weight: 3 });
    expect(await run.ledger.recordTask(task)).toEqual(task);
    expect(await run.progress()).toMatchObject({ pending: 2, open: 3 });
  });

  test("the first task wins, whoever brings another one, and counts once", async () => {
    const run = await setup();
    const tasks = Array.from({ length: 20 }, (_, index) => testTask(1, { taskId: `t-${index}` }));
    const kept = await Promise.all(tasks.map((task) => run.ledger.recordTask(task)));
    expect(new Set(kept.map((task) => task?.taskId))).toEqual(new Set(["t-0"]));
    expect(await run.progress()).toMatchObject({ pending: 2, open: 1 });
  });

  test("a task of a row that is done is not kept", async () => {
    const run = await setup();
    await run.ledger.recordOutcome(testOutcome(1), 1, "");
    expect(await run.ledger.recordTask(testTask(1))).toBeUndefined();
    expect(await run.progress()).toMatchObject({ open: 0, succeeded: 1 });
  });

  test("a lost task goes back to pending, in the next try group", async () => {
    const run = await setup(5);
    const task = testTask(1, { weight: 3 });
    await run.ledger.recordTask(task);
    expect(await run.ledger.dropTask(task)).toBe(true);
    expect(await run.ledger.states([1])).toEqual([{ kind: "intent", tryGroup: 1 }]);
    expect(await run.progress()).toMatchObject({ pending: 5, open: 0 });
  });

  test("dropping it again says the same and moves nothing, so that a lost reply loses no row", async () => {
    const run = await setup();
    await run.ledger.recordTask(testTask(1));
    await run.ledger.dropTask(testTask(1));
    expect(await run.ledger.dropTask(testTask(1))).toBe(true);
    expect(await run.progress()).toMatchObject({ pending: 3, open: 0 });
  });

  test("who still follows the lost task cannot drop the new one", async () => {
    const run = await setup();
    const renewed = testTask(1, { taskId: "new", tryGroup: 1 });
    await run.ledger.recordTask(testTask(1));
    await run.ledger.dropTask(testTask(1));
    await run.ledger.recordTask(renewed);
    expect(await run.ledger.dropTask(testTask(1))).toBe(false);
    expect(await run.ledger.states([1])).toEqual([{ kind: "open", entry: renewed }]);
    expect(await run.progress()).toMatchObject({ pending: 2, open: 1 });
  });

  test("a row without a task has none to drop", async () => {
    const run = await setup();
    expect(await run.ledger.dropTask(testTask(1))).toBe(false);
    await run.ledger.recordOutcome(testOutcome(2), 1, "");
    expect(await run.ledger.dropTask(testTask(2))).toBe(false);
    expect(await run.progress()).toMatchObject({ pending: 2, open: 0, succeeded: 1 });
  });
});

describe("the outcome of a row", () => {
  test.each([
    { kind: "succeeded", counts: { succeeded: 2 }, reasons: {} },
    { kind: "failed", counts: { failed: 2 }, reasons: { TASK_FAILED: 2 } },
    { kind: "needs-input", counts: { needsInput: 2 }, reasons: {} },
  ] as const)("$kind counts for the row and its duplicates", async (expected) => {
    const run = await setup(5);
    await run.ledger.recordTask(testTask(1, { weight: 2 }));
    const outcome = testOutcome(1, expected.kind, "words");
    await run.ledger.recordOutcome(outcome, 2, "");
    expect(await run.progress()).toMatchObject({ pending: 3, open: 0, ...expected.counts });
    expect(await run.record.failures()).toEqual(expected.reasons);
    expect(await run.outcomes()).toEqual([outcome]);
    expect(await run.ledger.states([1])).toEqual([{ kind: "done" }]);
  });

  test("a row that was never open goes from pending", async () => {
    const run = await setup();
    await run.ledger.recordOutcome(testOutcome(1), 1, "");
    expect(await run.progress()).toMatchObject({ pending: 2, open: 0, succeeded: 1 });
  });

  test("of fifty outcomes at the same time exactly one is recorded", async () => {
    const run = await setup();
    const kinds = ["succeeded", "failed", "needs-input"] as const;
    await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        run.ledger.recordOutcome(testOutcome(1, kinds[index % 3]), 1, "accepted"),
      ),
    );
    const progress = await run.progress();
    expect(progress.succeeded + progress.failed + progress.needsInput).toBe(1);
    expect(sumOfParts(progress)).toBe(3);
    expect(await run.outcomes()).toHaveLength(1);
    expect(await run.client.hget(run.keys.private, "accepted")).toBe("1");
  });

  test("what waits for the journal is counted in bytes", async () => {
    const run = await setup();
    const outcome = testOutcome(1, "succeeded", "Bäckerei Öz");
    await run.ledger.recordOutcome(outcome, 1, "");
    expect(await run.client.hget(run.keys.private, "backlogBytes")).toBe(
      String(Buffer.byteLength(JSON.stringify(outcome))),
    );
  });

  test("one of more than 1 MiB is kept as RESULT_TOO_LARGE with its task", async () => {
    const run = await setup();
    await run.ledger.recordOutcome(testOutcome(1, "succeeded", "x".repeat(1_048_577)), 1, "");
    expect(await run.outcomes()).toMatchObject([{ reason: "RESULT_TOO_LARGE", taskId: "task-1" }]);
    expect(await run.record.failures()).toEqual({ RESULT_TOO_LARGE: 1 });
  });

  test("refused rows are counted as long as none was accepted", async () => {
    const run = await setup(5);
    expect(await run.ledger.recordOutcome(testOutcome(1, "failed"), 1, "refused")).toBe(1);
    expect(await run.ledger.recordOutcome(testOutcome(2, "failed"), 1, "refused")).toBe(2);
    expect(await run.ledger.recordOutcome(testOutcome(2, "failed"), 1, "refused")).toBe(0);
    await run.ledger.recordTask(testTask(3));
    expect(await run.ledger.recordOutcome(testOutcome(4, "failed"), 1, "refused")).toBe(0);
  });
});

describe("what a journal knows", () => {
  test("its rows are done and counted, and not streamed to it again", async () => {
    const run = await setup(4);
    await run.ledger.recordTask(testTask(1, { weight: 2 }));
    await run.ledger.restoreOutcomes([
      { row: 1, weight: 2, outcome: testOutcome(1) },
      { row: 3, weight: 1, outcome: testOutcome(3, "failed") },
    ]);
    const parts = { pending: 1, open: 0, succeeded: 2, failed: 1 };
    expect(await run.progress()).toMatchObject(parts);
    expect(await run.outcomes()).toEqual([]);
    expect(await run.client.hget(run.keys.private, "backlogBytes")).toBeNull();
  });

  test("restoring twice counts once", async () => {
    const run = await setup();
    const known = [{ row: 1, weight: 1, outcome: testOutcome(1) }];
    await run.ledger.restoreOutcomes(known);
    await run.ledger.restoreOutcomes(known);
    expect(await run.progress()).toMatchObject({ pending: 2, succeeded: 1 });
  });

  test("the states of no rows are none", async () => {
    const run = await setup();
    expect(await run.ledger.states([])).toEqual([]);
  });
});
