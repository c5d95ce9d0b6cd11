import { describe, expect, test } from "vitest";
import type { SubmitJob } from "../../../src/core/job.ts";
import { parseTemplate } from "../../../src/core/message-template.ts";
import { openInput } from "../../../src/csv/read-input.ts";
import { NO_EARLIER_ANSWERS } from "../../../src/runs/earlier-answers.ts";
import { feedRows } from "../../../src/runs/feed-rows.ts";
import type { InputPlan } from "../../../src/runs/scan-input.ts";
import { scanInput } from "../../../src/runs/scan-input.ts";
import { createQueueHarness, noteRows } from "../../helpers/queue-harness.ts";
import { createTestRun, testOutcome, testTask } from "../../helpers/run-for-tests.ts";
import { tempFile } from "../../unit/csv/temp-folder.ts";

async function planOf(csv: string): Promise<InputPlan> {
  const parsed = parseTemplate("Name: {name}");
  if (parsed.kind === "problem") throw new Error(parsed.message);
  const input = await openInput(await tempFile(csv), { map: {} });
  return { input, template: parsed.template, dedupe: true, rowLimit: undefined };
}

/** A begun run of so many partners, each with a name of its own, and its queues. */
async function setup(names: readonly string[], windowRows = 50_000) {
  const harness = await createQueueHarness();
  const plan = await planOf(`name\n${names.join("\n")}\n`);
  const scan = await scanInput(plan);
  const run = await createTestRun(harness.client, { total: scan.total });
  const { queues } = harness;
  const feed = (signal = new AbortController().signal): Promise<void> =>
    feedRows(
      {
        plan,
        scan,
        ledger: run.ledger,
        queues,
        windowRows,
        replies: new Map(),
        earlier: NO_EARLIER_ANSWERS,
        onBacklog: () => undefined,
      },
      signal,
    );
  return { harness, run, feed, queues };
}

const partners = (count: number): string[] =>
  Array.from({ length: count }, (_, index) => `Partner ${index + 1} GmbH`);

describe("feeding", () => {
  test("each message is put into the queue once, with the weight of its duplicates", async () => {
    const { harness, feed, queues } = await setup(["A", "B", "A", "A"]);
    await feed();
    expect(await queues.countWaitingSubmits()).toBe(2);
    expect(await harness.stored("submit", 1)).toMatchObject({ weight: 3, text: "Name: A" });
    expect(await harness.stored("submit", 2)).toMatchObject({ weight: 1, text: "Name: B" });
  });

  test("T10: a Redis that lost its last second gets every row back that has no outcome", async () => {
    const { harness, run, feed, queues } = await setup(partners(8));
    await feed();
    await run.ledger.recordOutcome(testOutcome(1), 1, "");
    await run.ledger.recordTask(testTask(2));
    await run.ledger.beginSend({ row: 3, tryGroup: 0, ...(await run.lock(3)) });
    await queues.obliterate();
    await feed();
    await feed();
    expect(await harness.stored("submit", 1)).toBeNull();
    expect(await harness.stored("submit", 2)).toBeNull();
    expect(await harness.stored("track", 2)).toMatchObject({
      taskId: "task-2",
      text: "Name: Partner 2 GmbH",
    });
    expect(await queues.countWaitingSubmits()).toBe(6);
  });

  test("a row whose task was lost goes on in its new try group", async () => {
    const { harness, run, feed } = await setup(["A"]);
    await run.ledger.recordTask(testTask(1));
    await run.ledger.dropTask(testTask(1));
    await feed();
    const data = await harness.client.hget(`${harness.prefix}:submit:r-1-1`, "data");
    expect(JSON.parse(data ?? "null")).toMatchObject({ row: 1, tryGroup: 1, sends: 1 });
  });

  test("no more rows wait in Redis than the window holds", async () => {
    const { harness, feed, queues } = await setup(partners(1_700), 600);
    const feeding = feed();
    await expect.poll(() => queues.countWaitingSubmits()).toBe(500);
    const { seen, step } = noteRows();
    let most = 0;
    harness.work<SubmitJob>("submit", async (job, signal) => {
      most = Math.max(most, await queues.countWaitingSubmits());
      return step(job, signal);
    });
    await feeding;
    await seen.until(1_700);
    expect(most).toBeLessThanOrEqual(600);
  });

  test("it ends at once when the work is stopped", async () => {
    const { feed, queues } = await setup(partners(1_200), 500);
    const stopping = new AbortController();
    const feeding = feed(stopping.signal);
    await expect.poll(() => queues.countWaitingSubmits()).toBe(500);
    stopping.abort(new Error("stopping"));
    await expect(feeding).rejects.toThrow(/stopping|aborted/);
    expect(await queues.countWaitingSubmits()).toBe(500);
  });
});
