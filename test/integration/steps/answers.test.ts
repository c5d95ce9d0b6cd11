import { describe, expect, test } from "vitest";
import { contentOf } from "../../../src/core/outcome-content.ts";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { createStepHarness } from "../../helpers/step-harness.ts";

const SHAPES = [
  { shape: "bare", sandbox: { results: "bare", taskResults: "bare" } },
  { shape: "wrapped", sandbox: { results: "wrapped", taskResults: "wrapped" } },
  { shape: "wrapped for sends alone", sandbox: { results: "wrapped", taskResults: "bare" } },
  { shape: "bare with every default printed", sandbox: { results: "bare", style: "java" } },
  {
    shape: "wrapped with every default printed",
    sandbox: { results: "wrapped", taskResults: "wrapped", style: "java" },
  },
] as const satisfies readonly { shape: string; sandbox: SandboxOptions }[];

const DONE = { total: 1, pending: 0, open: 0, unprocessed: 0, retries: 0, rateLimited: 0 };
const NO_CANCEL = { CancelTask: 0 };

describe.each(SHAPES)("results that are $shape", ({ sandbox: shape }) => {
  test("a task is followed to its end: text, data, file and link of its artifact", async () => {
    const harness = await createStepHarness({
      sandbox: {
        ...shape,
        structured: true,
        faults: [
          { effect: { kind: "file", name: "a.pdf", mediaType: "application/pdf", bytes: 10 } },
          { effect: { kind: "url-part", url: "https://example.com/report.pdf" } },
        ],
      },
    });
    const outcome = await harness.through();
    expect(outcome).toMatchObject({
      kind: "succeeded",
      source: "artifact",
      artifacts: [
        {
          name: "Onboarding data",
          parts: [
            { kind: "text", text: expect.stringContaining("Partner 1 GmbH") },
            { kind: "data" },
            { kind: "raw", mediaType: "application/pdf" },
            { kind: "url" },
          ],
        },
      ],
      attempts: 1,
      polls: 1,
    });
    expect(outcome.taskId).not.toBe("");
    expect(outcome.contextId).not.toBe("");
    expect(await harness.run.progress()).toMatchObject({ ...DONE, succeeded: 1, getTaskCalls: 1 });
    expect(await harness.run.ledger.states([1])).toEqual([{ kind: "done" }]);
    expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 1, ...NO_CANCEL });
  });

  test("a first answer that is the end already is not asked about", async () => {
    const harness = await createStepHarness({
      sandbox: { ...shape, blocking: "ignore-flag", duration: { kind: "fixed", ms: 30 } },
    });
    expect(await harness.through()).toMatchObject({ kind: "succeeded", attempts: 1, polls: 0 });
    expect(await harness.run.progress()).toMatchObject({ ...DONE, succeeded: 1, getTaskCalls: 0 });
    expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 0, ...NO_CANCEL });
  });

  test("a message instead of a task is the result", async () => {
    const harness = await createStepHarness({
      sandbox: { ...shape, faults: [{ effect: { kind: "message", text: "Known already." } }] },
    });
    expect(await harness.through()).toMatchObject({
      kind: "succeeded",
      source: "message",
      message: [{ kind: "text", text: "Known already." }],
      taskId: "",
      polls: 0,
    });
    expect(await harness.run.progress()).toMatchObject({ ...DONE, succeeded: 1 });
    expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 0, ...NO_CANCEL });
  });

  test("COMPLETED with nothing in it is a success all the same", async () => {
    const harness = await createStepHarness({
      sandbox: shape,
      settings: { acceptedOutputModes: ["image/png"] },
    });
    const outcome = await harness.through();
    if (outcome.kind !== "succeeded") throw new Error(`the row is ${outcome.kind}`);
    expect(contentOf(outcome)).toMatchObject({ text: "", data: [], files: [] });
  });

  test.each([
    { state: "FAILED", reason: "TASK_FAILED" },
    { state: "REJECTED", reason: "TASK_REJECTED" },
    { state: "CANCELED", reason: "TASK_CANCELED" },
  ])("$state is a failure with the agent's words", async ({ state, reason }) => {
    const harness = await createStepHarness({
      sandbox: { ...shape, faults: [{ effect: { kind: "end", state, text: "No such firm." } }] },
    });
    expect(await harness.through()).toMatchObject({
      kind: "failed",
      stage: "track",
      reason,
      message: "No such firm.",
      code: "",
    });
    expect(await harness.run.progress()).toMatchObject({ ...DONE, failed: 1 });
    expect(await harness.run.record.failures()).toEqual({ [reason]: 1 });
    expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 1, ...NO_CANCEL });
  });

  test("INPUT_REQUIRED ends the polling with the agent's question", async () => {
    const harness = await createStepHarness({
      sandbox: {
        ...shape,
        faults: [{ effect: { kind: "end", state: "INPUT_REQUIRED", text: "Which street?" } }],
      },
    });
    expect(await harness.through()).toMatchObject({
      kind: "needs-input",
      question: "Which street?",
    });
    expect(await harness.run.progress()).toMatchObject({ ...DONE, needsInput: 1 });
    expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 1, ...NO_CANCEL });
  });
});

describe("a row and its duplicates", () => {
  test("one answer counts for all of them", async () => {
    const harness = await createStepHarness({ total: 4 });
    harness.add(1, { weight: 3 });
    await harness.step();
    expect(await harness.run.progress()).toMatchObject({ pending: 1, open: 3 });
    await harness.finish();
    expect(await harness.run.progress()).toMatchObject({ pending: 1, open: 0, succeeded: 3 });
  });
});

describe("following", () => {
  test("a task at work is asked about again later, less and less often", async () => {
    const harness = await createStepHarness({
      sandbox: { duration: { kind: "fixed", ms: 3_600_000 } },
    });
    harness.add(1);
    await harness.step();
    const delaysMs: number[] = [];
    for (let poll = 1; poll <= 6; poll += 1) {
      const outcome = await harness.step();
      if (outcome.kind !== "again") throw new Error(outcome.kind);
      delaysMs.push(outcome.delayMs);
    }
    expect(delaysMs).toEqual(delaysMs.toSorted((a, b) => a - b));
    expect(delaysMs.at(-1)).toBeGreaterThan(2 * (delaysMs[0] ?? 0));
    expect(await harness.run.progress()).toMatchObject({ open: 1, getTaskCalls: 6 });
  });

  test("the first poll comes when tasks like it usually end, at once where that is quick", async () => {
    const harness = await createStepHarness({ total: 2 });
    for (let task = 0; task < 64; task += 1) {
      harness.deps.schedule.learn({ atLeastMs: 0, atMostMs: 45 });
    }
    harness.add(1);
    expect((await harness.step()).kind).toBe("done");
    expect(harness.waiting).toEqual([]);
    expect(await harness.run.outcomes()).toMatchObject([{ kind: "succeeded", polls: 1 }]);
  });

  test("a quick first poll that comes too early is followed by the queue", async () => {
    const harness = await createStepHarness({
      sandbox: { duration: { kind: "fixed", ms: 200 } },
    });
    for (let task = 0; task < 64; task += 1) {
      harness.deps.schedule.learn({ atLeastMs: 0, atMostMs: 10 });
    }
    harness.add(1);
    await harness.step();
    expect(harness.waiting).toMatchObject([{ step: "track", job: { row: 1, polls: 1 } }]);
  });

  test("the task of an earlier activation is followed instead of sending again", async () => {
    const harness = await createStepHarness();
    harness.add(1);
    await harness.step();
    harness.clear();
    harness.add(1);
    await harness.finish();
    expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 1, ...NO_CANCEL });
    expect(await harness.run.outcomes()).toHaveLength(1);
  });

  test("a row that is done is left alone", async () => {
    const harness = await createStepHarness();
    await harness.through();
    harness.add(1);
    await harness.finish();
    expect(harness.calls().SendMessage).toBe(1);
  });

  test("a process that has lost the job's lock sends nothing", async () => {
    const harness = await createStepHarness();
    harness.add(1);
    const beginSend = harness.run.ledger.beginSend.bind(harness.run.ledger);
    harness.run.ledger.beginSend = async (intent) => {
      await harness.run.client.set(intent.lockKey, "another process");
      return beginSend(intent);
    };
    expect(await harness.step()).toEqual({ kind: "abandoned" });
    expect(harness.calls().SendMessage).toBe(0);
    expect(await harness.run.progress()).toMatchObject({ pending: 1, sendMessageCalls: 0 });
  });

  test("two activations of one row at the same time make one outcome", async () => {
    const harness = await createStepHarness();
    harness.add(1);
    harness.add(1);
    await Promise.all([harness.step(), harness.step()]);
    await harness.finish();
    expect(await harness.run.outcomes()).toHaveLength(1);
    expect(await harness.run.progress()).toMatchObject({ pending: 0, open: 0, succeeded: 1 });
    expect(harness.sandbox.stats().tasks).toBe(1);
  });
});
