import { describe, expect, test } from "vitest";
import type { TestRun } from "../../helpers/run-for-tests.ts";
import {
  createTestRun,
  openTestRedis,
  testOutcome,
  testTask,
} from "../../helpers/run-for-tests.ts";

async function setup(total: number): Promise<TestRun> {
  const { client } = await openTestRedis();
  return createTestRun(client, { total });
}

describe("a run that is over or forgotten", () => {
  const LATE = ["task", "outcome", "drop", "undo"] as const;

  async function comeLate(run: TestRun, what: (typeof LATE)[number]): Promise<void> {
    switch (what) {
      case "task":
        await run.ledger.recordTask(testTask(2));
        break;
      case "outcome":
        await run.ledger.recordOutcome(testOutcome(2), 1, "accepted");
        break;
      case "drop":
        await run.ledger.dropTask(testTask(2));
        break;
      case "undo":
        await run.ledger.undoSend(2, true);
    }
  }

  test.each(LATE)("a late %s does not touch the counters of a settled run", async (what) => {
    const run = await setup(2);
    await run.ledger.recordOutcome(testOutcome(1), 1, "");
    await run.ledger.recordOutcome(testOutcome(2), 1, "");
    await run.client.xtrim(run.keys.results, "MAXLEN", 0);
    expect(await run.record.settle(true)).toBe("completed");
    await run.record.expire(60_000);
    const before = await run.progress();
    await comeLate(run, what);
    expect(await run.progress()).toEqual(before);
    expect(await run.outcomes()).toEqual([]);
  });

  test("a late outcome of a forgotten run still reaches the journal, for it was paid for", async () => {
    const run = await setup(2);
    await run.client.del(run.keys.progress);
    await run.ledger.recordOutcome(testOutcome(2), 1, "accepted");
    expect(await run.outcomes()).toEqual([testOutcome(2)]);
  });

  test.each(LATE)("a late %s leaves nothing that would hinder a new beginning", async (what) => {
    const run = await setup(2);
    await run.ledger.beginSend({ row: 2, tryGroup: 0, ...(await run.lock(2)) });
    const { progress, settings, ledger, private: own, failures } = run.keys;
    await run.client.del(progress, settings, ledger, own, failures);
    await comeLate(run, what);
    await run.record.countCall("getTaskCalls");
    expect(await run.record.progress()).toBeUndefined();

    await run.record.open(run.settings);
    await run.record.begin({ total: 2, pending: 2, failedWhenRead: new Map() });
    await run.ledger.recordOutcome(testOutcome(2), 1, "");
    expect(await run.progress()).toMatchObject({ pending: 1, open: 0, succeeded: 1 });
  });
});
