import { describe, expect, test, vi } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { createStepHarness } from "../../helpers/step-harness.ts";

type Faults = NonNullable<SandboxOptions["faults"]>;

const ENDLESS = { kind: "fixed", ms: 3_600_000 } as const;

async function setup(faults: Faults = [], taskTimeoutMs = 2_000) {
  return createStepHarness({
    sandbox: { duration: ENDLESS, faults },
    settings: { taskTimeoutMs },
    cancelTimeoutMs: 100,
  });
}

describe("a task past its time", () => {
  test("it is canceled at the agent and fails as TASK_TIMEOUT", async () => {
    const harness = await setup();
    const outcome = await harness.through();
    expect(outcome).toMatchObject({ kind: "failed", stage: "track", reason: "TASK_TIMEOUT" });
    expect(harness.passedMs()).toBeGreaterThanOrEqual(2_000);
    expect(harness.calls()).toMatchObject({ SendMessage: 1, CancelTask: 1 });
    expect(harness.sandbox.stats()).toMatchObject({ open: 0, ends: { CANCELED: 1 } });
    const { GetTask } = harness.calls();
    const counts = { cancelTaskCalls: 1, getTaskCalls: GetTask, failed: 1, open: 0 };
    expect(await harness.run.progress()).toMatchObject(counts);
    expect(outcome.polls).toBe(GetTask);
  });

  test.each<{ how: string; faults: Faults }>([
    {
      how: "as the answer to CancelTask shows",
      faults: [{ match: { method: "CancelTask" }, effect: { kind: "end", state: "COMPLETED" } }],
    },
    {
      how: "as a GetTask after -32002 shows",
      faults: [
        { match: { method: "CancelTask" }, effect: { kind: "rpc-error", code: -32002 } },
        { match: { method: "GetTask", nth: 2 }, effect: { kind: "end", state: "COMPLETED" } },
      ],
    },
  ])("one that ended in the meantime, $how, keeps its end: it is paid", async ({ faults }) => {
    const harness = await setup(faults, 1);
    expect(await harness.through()).toMatchObject({ kind: "succeeded" });
    expect(harness.calls()).toMatchObject({ GetTask: 2, CancelTask: 1 });
    expect(await harness.run.progress()).toMatchObject({ succeeded: 1, failed: 0, open: 0 });
  });

  test.each<{ answer: string; effect: Faults[number]["effect"] }>([
    { answer: "-32002", effect: { kind: "rpc-error", code: -32002 } },
    { answer: "-32001", effect: { kind: "rpc-error", code: -32001 } },
    { answer: "-32601", effect: { kind: "rpc-error", code: -32601 } },
    { answer: "nothing", effect: { kind: "hang" } },
    { answer: "HTTP 500", effect: { kind: "http", status: 500 } },
  ])("when CancelTask answers $answer a GetTask decides", async ({ effect }) => {
    const harness = await setup([{ match: { method: "CancelTask" }, effect }]);
    expect(await harness.through()).toMatchObject({ reason: "TASK_TIMEOUT" });
    const { GetTask, CancelTask } = harness.calls();
    expect(CancelTask).toBe(1);
    const counts = { cancelTaskCalls: 1, getTaskCalls: GetTask, failed: 1 };
    expect(await harness.run.progress()).toMatchObject(counts);
    expect(harness.stops).toEqual([]);
  });

  test("an agent that throttles even the CancelTask closes the gate like at any call", async () => {
    const harness = await setup([
      { match: { method: "CancelTask" }, effect: { kind: "throttle", retryAfter: "1" } },
    ]);
    const startMs = performance.now();
    expect(await harness.through()).toMatchObject({ reason: "TASK_TIMEOUT" });
    expect(await harness.run.progress()).toMatchObject({ rateLimited: 1 });
    expect(performance.now() - startMs).toBeGreaterThan(950);
  });

  test("time in which nobody asked does not count", async () => {
    const harness = await setup();
    harness.add(1);
    await harness.step();
    harness.pass(86_400_000);
    expect(await harness.step()).toMatchObject({ kind: "again" });
    expect(harness.calls().CancelTask).toBe(0);
  });
});

describe("work that is broken off", () => {
  test("a send that waits for its slot is taken back", async () => {
    const harness = await createStepHarness({
      total: 2,
      settings: { sendPerSecond: 1.5 },
    });
    harness.add(1);
    harness.add(2);
    await harness.step();
    const stopping = new AbortController();
    const stepping = harness.step(stopping.signal);
    await expect
      .poll(() => harness.run.ledger.states([2]), { interval: 5 })
      .toEqual([{ kind: "intent", tryGroup: 0 }]);
    stopping.abort(new Error("stopping"));
    await expect(stepping).rejects.toThrow("stopping");
    expect(await harness.run.ledger.states([2])).toEqual([{ kind: "unsent" }]);
    expect(await harness.run.progress()).toMatchObject({ sendMessageCalls: 1, pending: 1 });
    expect(harness.calls().SendMessage).toBe(1);
  });

  test("a poll that waits for the gate gives up without a call", async () => {
    const harness = await createStepHarness();
    harness.add(1);
    await harness.step();
    await harness.deps.gate.report({ kind: "throttled", retryAfterMs: 60_000 });
    await expect(harness.step(AbortSignal.timeout(50))).rejects.toThrow("timeout");
    expect(harness.calls().GetTask).toBe(0);
    expect(await harness.run.progress()).toMatchObject({ open: 1, getTaskCalls: 0 });
  });

  test("a first poll that is broken off leaves the task to the queue", async () => {
    const harness = await createStepHarness();
    for (let task = 0; task < 64; task += 1) {
      harness.deps.schedule.learn({ atLeastMs: 0, atMostMs: 40 });
    }
    const stop = new Error("stopping");
    const counting = vi.spyOn(harness.run.record, "countCall").mockRejectedValueOnce(stop);
    harness.add(1);
    await expect(harness.step()).rejects.toBe(stop);
    counting.mockRestore();
    expect(harness.waiting).toMatchObject([{ step: "track", job: { row: 1, polls: 0 } }]);
    await harness.finish();
    expect(await harness.run.outcomes()).toMatchObject([{ kind: "succeeded" }]);
  });
});

describe("a run that may not send now", () => {
  test("a row waits in its activation until there is a place", async () => {
    const harness = await createStepHarness({ total: 2, settings: { maxOpenTasks: 1 } });
    harness.add(1);
    await harness.step();
    const follow = harness.waiting[0];
    if (follow?.step !== "track") throw new Error("no task");
    harness.clear();
    harness.add(2);
    const held = harness.step();
    await harness.deps.addTrack(follow.job, 0);
    await harness.step();
    expect(await held).toEqual({ kind: "done" });
    expect(harness.calls().SendMessage).toBe(2);
  });

  test("a run that is stopping lets the row go unsent", async () => {
    const harness = await createStepHarness({ total: 1 });
    await harness.run.record.stop("operator");
    harness.add(1);
    expect(await harness.step()).toEqual({ kind: "done" });
    expect(harness.calls().SendMessage).toBe(0);
    expect(await harness.run.record.settle(true)).toBe("canceled");
    expect(await harness.run.progress()).toMatchObject({ unprocessed: 1, pending: 0 });
  });

  test("a paused run keeps its row until it goes on or the process stops", async () => {
    const harness = await createStepHarness({ total: 1 });
    await harness.run.client.hset(harness.run.keys.progress, "status", "paused");
    harness.add(1);
    await expect(harness.step(AbortSignal.timeout(100))).rejects.toThrow("timeout");
    expect(harness.calls().SendMessage).toBe(0);
  });
});
