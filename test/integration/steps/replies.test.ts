import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { TaskReply } from "../../../src/core/call.ts";
import type { StepHarness } from "../../helpers/step-harness.ts";
import { createStepHarness } from "../../helpers/step-harness.ts";

const ASKS = { effect: { kind: "end", state: "INPUT_REQUIRED", text: "Which one?" } } as const;
const SIGNAL = new AbortController().signal;

/** A task that waits for an answer, made besides the run. */
async function waitingTask({ deps }: StepHarness): Promise<string> {
  const text = "Name: Partner 9 GmbH, Country: DE";
  const sent = await deps.client.sendMessage({ messageId: randomUUID(), text }, SIGNAL);
  if (sent.kind !== "task") throw new Error(`no task but ${sent.kind}`);
  return sent.task.taskId;
}

async function reply(harness: StepHarness, taskId: string) {
  harness.add(1, { text: "the one in Bonn", answers: { taskId, contextId: "" }, tryGroup: 3 });
  await harness.finish();
  return (await harness.run.outcomes())[0];
}

test("an answer goes to its task, which is followed to its end", async () => {
  const harness = await createStepHarness({ sandbox: { faults: [ASKS] } });
  const taskId = await waitingTask(harness);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await reply(harness, taskId)).toMatchObject({ kind: "succeeded", taskId, attempts: 1 });
  expect(harness.sandbox.stats()).toMatchObject({ followUps: 1, tasks: 1 });
});

test("a task that has ended in the meantime gives the row its end", async () => {
  const harness = await createStepHarness();
  const taskId = await waitingTask(harness);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const ended: TaskReply = await harness.deps.client.getTask(taskId, SIGNAL);
  expect(ended).toMatchObject({ kind: "task", task: { state: { state: "COMPLETED" } } });
  expect(await reply(harness, taskId)).toMatchObject({ kind: "succeeded", taskId });
  expect(harness.sandbox.stats()).toMatchObject({ followUps: 0, tasks: 1 });
});

test("a task that has vanished fails its row, and no new one is made", async () => {
  const harness = await createStepHarness();
  expect(await reply(harness, "task-of-yesterday")).toMatchObject({
    kind: "failed",
    stage: "submit",
    reason: "TASK_LOST",
    attempts: 1,
  });
  expect(harness.sandbox.stats().tasks).toBe(0);
});
