import { describe, expect, test } from "vitest";
import { parseTemplate } from "../../../src/core/message-template.ts";
import type { SucceededOutcome } from "../../../src/core/outcome.ts";
import { openInput } from "../../../src/csv/read-input.ts";
import type { AskedRow, EarlierAnswers } from "../../../src/runs/earlier-answers.ts";
import { NO_EARLIER_ANSWERS } from "../../../src/runs/earlier-answers.ts";
import { feedRows } from "../../../src/runs/feed-rows.ts";
import { scanInput } from "../../../src/runs/scan-input.ts";
import { createQueueHarness } from "../../helpers/queue-harness.ts";
import { createTestRun, sumOfParts, testOutcome, testTask } from "../../helpers/run-for-tests.ts";
import { tempFile } from "../../unit/csv/temp-folder.ts";

/** Knows an answer to each of some messages, and notes what was asked for. */
function answersTo(...texts: string[]) {
  const asked: AskedRow[] = [];
  const earlier: EarlierAnswers = {
    ...NO_EARLIER_ANSWERS,
    find: async (rows) => {
      asked.push(...rows);
      return rows.filter(({ text }) => texts.includes(text)).map(({ row }) => reused(row));
    },
  };
  return { asked, earlier };
}

function reused(row: number): SucceededOutcome {
  const outcome = testOutcome(row, "succeeded", "known");
  if (outcome.kind !== "succeeded") throw new Error("is no success");
  return { ...outcome, attempts: 0, polls: 0, reusedFrom: "earlier-run" };
}

async function setup(names: readonly string[], backlogBytes = 67_108_864) {
  const harness = await createQueueHarness();
  const parsed = parseTemplate("Name: {name}");
  if (parsed.kind === "problem") throw new Error(parsed.message);
  const input = await openInput(await tempFile(`name\n${names.join("\n")}\n`), { map: {} });
  const plan = { input, template: parsed.template, dedupe: true, rowLimit: undefined };
  const scan = await scanInput(plan);
  const options = { total: scan.total, settings: { backlogBytes } };
  const run = await createTestRun(harness.client, options);
  const { queues } = harness;
  const waits = { count: 0 };
  const onBacklog = (): void => {
    waits.count += 1;
  };
  const feed = (earlier: EarlierAnswers, signal = new AbortController().signal): Promise<void> => {
    const { ledger } = run;
    const feeding = { plan, scan, ledger, queues, windowRows: 50_000, replies: new Map(), earlier };
    return feedRows({ ...feeding, onBacklog }, signal);
  };
  return { harness, run, feed, queues, waits };
}

const PATIENCE = { timeout: 15_000 };

describe("feeding with answers of earlier runs", () => {
  test("a row that has one is done, with its duplicates and without a job", async () => {
    const { harness, run, feed, queues } = await setup(["A", "B", "A", "A"]);
    await feed(answersTo("Name: A").earlier);
    expect(await queues.countWaitingSubmits()).toBe(1);
    expect(await harness.stored("submit", 1)).toBeNull();
    expect(await run.outcomes()).toEqual([reused(1)]);
    const progress = await run.progress();
    expect(progress).toMatchObject({ succeeded: 3, reused: 3, pending: 1, sendMessageCalls: 0 });
    expect(sumOfParts(progress)).toBe(4);
  });

  test("the same walk once more, as after a crash, changes nothing", async () => {
    const { run, feed, queues } = await setup(["A", "B"]);
    const { earlier } = answersTo("Name: A");
    await feed(earlier);
    await feed(earlier);
    expect(await run.outcomes()).toHaveLength(1);
    expect(await run.progress()).toMatchObject({ succeeded: 1, reused: 1, pending: 1 });
    expect(await queues.countWaitingSubmits()).toBe(1);
  });

  test("a row that was sent, has a task, or is sent again asks for none", async () => {
    const { run, feed, queues } = await setup(["A", "B", "C", "D"]);
    await run.ledger.beginSend({ row: 1, tryGroup: 0, ...(await run.lock(1)) });
    await run.ledger.recordTask(testTask(2));
    await run.ledger.reopenRows([{ row: 3, tryGroup: 2 }]);
    const { asked, earlier } = answersTo("Name: A", "Name: B", "Name: C", "Name: D");
    await feed(earlier);
    expect(asked).toEqual([{ row: 4, text: "Name: D" }]);
    expect(await run.progress()).toMatchObject({ succeeded: 1, reused: 1 });
    expect(await queues.countWaitingSubmits()).toBe(2);
  });

  test("more outcomes than may wait for the journal are never put into Redis", async () => {
    const names = Array.from({ length: 150 }, (_, index) => `P${index}`);
    const { run, feed, waits } = await setup(names, 5_000);
    const feeding = feed(answersTo(...names.map((name) => `Name: ${name}`)).earlier);
    await expect.poll(() => waits.count, PATIENCE).toBeGreaterThan(0);
    expect((await run.outcomes()).length).toBeLessThanOrEqual(100);
    // As the collector does once the journal has them.
    await expect
      .poll(async () => {
        await run.client.hset(run.keys.private, "backlogBytes", 0);
        return (await run.progress()).succeeded;
      }, PATIENCE)
      .toBe(150);
    await feeding;
  });

  test("waiting for a collector ends at once when the work is stopped", async () => {
    const { run, feed, waits } = await setup(["A"], 5_000);
    await run.client.hset(run.keys.private, "backlogBytes", 6_000);
    const stopping = new AbortController();
    const feeding = feed(answersTo("Name: A").earlier, stopping.signal);
    await expect.poll(() => waits.count, PATIENCE).toBeGreaterThan(0);
    stopping.abort();
    await expect(feeding).rejects.toThrow(/aborted/);
    expect(await run.outcomes()).toEqual([]);
  });

  test("what a journal has of it is counted again for a Redis that has forgotten", async () => {
    const { run } = await setup(["A", "A", "B"]);
    await run.ledger.restoreOutcomes([{ row: 1, weight: 2, outcome: reused(1) }]);
    expect(await run.progress()).toMatchObject({ succeeded: 2, reused: 2, sendMessageCalls: 0 });
  });
});
