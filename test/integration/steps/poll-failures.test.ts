import { describe, expect, test } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { createStepHarness } from "../../helpers/step-harness.ts";

type Rule = NonNullable<SandboxOptions["faults"]>[number];
type Effect = Rule["effect"];

const http = (status: number): Effect => ({ kind: "http", status, body: "<p>gateway</p>" });
const rpc = (code: number): Effect => ({ kind: "rpc-error", code, message: "Not now." });

const onPoll = (effect: Effect, match: Rule["match"] = {}): SandboxOptions => ({
  faults: [{ match: { method: "GetTask", ...match }, effect }],
});

/** Long enough for several polls on the harness's clock. */
const SHORT = { taskTimeoutMs: 3_000 } as const;

/** Whatever a GetTask can answer that says nothing of the task. */
const SILENT_ANSWERS = [
  { fault: "-32603", effect: rpc(-32603), reason: "AGENT_UNAVAILABLE", code: "-32603" },
  { fault: "-32000", effect: rpc(-32000), reason: "AGENT_UNAVAILABLE", code: "-32000" },
  { fault: "HTTP 500", effect: http(500), reason: "AGENT_UNAVAILABLE", code: "500" },
  { fault: "HTTP 503", effect: http(503), reason: "AGENT_UNAVAILABLE", code: "503" },
  { fault: "HTTP 404", effect: http(404), reason: "AGENT_UNAVAILABLE", code: "404" },
  { fault: "HTTP 405", effect: http(405), reason: "AGENT_UNAVAILABLE", code: "405" },
  { fault: "a reset", effect: { kind: "reset" }, reason: "AGENT_UNAVAILABLE", code: "" },
  { fault: "an unreadable 200", effect: { kind: "malformed" }, reason: "PROTOCOL_ERROR", code: "" },
  { fault: "a foreign id", effect: { kind: "wrong-id" }, reason: "PROTOCOL_ERROR", code: "" },
  { fault: "-32602", effect: rpc(-32602), reason: "AGENT_REFUSED", code: "-32602" },
  { fault: "-32600", effect: rpc(-32600), reason: "AGENT_REFUSED", code: "-32600" },
  { fault: "-32005", effect: rpc(-32005), reason: "AGENT_REFUSED", code: "-32005" },
  { fault: "an unlisted code", effect: rpc(-31999), reason: "AGENT_REFUSED", code: "-31999" },
  { fault: "HTTP 400", effect: http(400), reason: "AGENT_REFUSED", code: "400" },
  { fault: "HTTP 422", effect: http(422), reason: "AGENT_REFUSED", code: "422" },
] as const;

describe.each(SILENT_ANSWERS)("$fault to a GetTask", ({ effect, reason, code }) => {
  test("it is asked again, and the task is not lost by it", async () => {
    const harness = await createStepHarness({ sandbox: onPoll(effect, { nth: 1 }) });
    expect(await harness.through()).toMatchObject({ kind: "succeeded", attempts: 1, polls: 2 });
    expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 2, CancelTask: 0 });
    expect(await harness.run.progress()).toMatchObject({ getTaskCalls: 2, succeeded: 1, open: 0 });
  });

  test("it is final only when the task's time is over", async () => {
    const harness = await createStepHarness({ settings: SHORT, sandbox: onPoll(effect) });
    const outcome = await harness.through();
    expect(outcome).toMatchObject({ kind: "failed", stage: "track", reason, code, attempts: 1 });
    expect(outcome.taskId).not.toBe("");
    expect(outcome.polls).toBeGreaterThan(3);
    expect(harness.passedMs()).toBeGreaterThanOrEqual(3_000);
    expect(harness.passedMs()).toBeLessThan(15_000);
    expect(await harness.run.progress()).toMatchObject({ failed: 1, open: 0, pending: 0 });
  });
});

test("a GetTask without an answer in time is asked again", async () => {
  const harness = await createStepHarness({
    settings: { requestTimeoutMs: 100 },
    sandbox: onPoll({ kind: "hang" }, { nth: 1 }),
  });
  expect(await harness.through()).toMatchObject({ kind: "succeeded", polls: 2 });
});

test.each<{ answer: string; effect: Effect }>([
  { answer: "429 with Retry-After", effect: { kind: "throttle", retryAfter: "1" } },
  {
    answer: "503 with Retry-After",
    effect: { kind: "http", status: 503, headers: { "retry-after": "1" } },
  },
])("$answer to a GetTask closes the gate for sends, too", async ({ effect }) => {
  const harness = await createStepHarness({
    total: 2,
    sandbox: onPoll(effect, { nth: 1 }),
  });
  harness.add(1);
  await harness.step();
  expect(await harness.step()).toMatchObject({ kind: "again", delayMs: 0 });
  const closedAtMs = performance.now();
  harness.clear();
  harness.add(2);
  await harness.step();
  expect(performance.now() - closedAtMs).toBeGreaterThan(950);
  expect(await harness.run.progress()).toMatchObject({ rateLimited: 1 });
});

test.each([
  { fault: "HTTP 401", effect: http(401), kind: "credentials" },
  { fault: "HTTP 403", effect: http(403), kind: "credentials" },
  { fault: "-31401", effect: rpc(-31401), kind: "credentials" },
  { fault: "-31403", effect: rpc(-31403), kind: "credentials" },
  { fault: "-32601", effect: rpc(-32601), kind: "wrong-agent" },
  { fault: "-32009", effect: rpc(-32009), kind: "wrong-agent" },
  { fault: "a redirect", effect: http(302), kind: "wrong-agent" },
] as const)(
  "$fault to a GetTask stops this process ($kind) and leaves the task open",
  async (x) => {
    const harness = await createStepHarness({ sandbox: onPoll(x.effect) });
    harness.add(1);
    await harness.step();
    expect(await harness.step()).toMatchObject({ kind: "again", data: { polls: 1 } });
    expect(harness.stops).toMatchObject([{ kind: x.kind }]);
    expect(await harness.run.progress()).toMatchObject({ open: 1, failed: 0 });
  },
);

describe("a task that the agent does not know", () => {
  test("it is asked about for 8 s, since only one replica may not know it", async () => {
    const harness = await createStepHarness({ sandbox: onPoll(rpc(-32001), { to: 4 }) });
    expect(await harness.through()).toMatchObject({ kind: "succeeded", attempts: 1, polls: 5 });
    expect(harness.calls().SendMessage).toBe(1);
    expect(harness.passedMs()).toBeLessThan(8_500);
  });

  test("then the row is sent again, once, as a new message", async () => {
    const harness = await createStepHarness({
      sandbox: { faults: [{ match: { to: 1 }, effect: { kind: "lose-task" } }] },
    });
    harness.add(1);
    let polls = 0;
    while (harness.waiting[0]?.step !== "submit" || polls === 0) {
      if (harness.waiting[0]?.step === "track") polls += 1;
      await harness.step();
    }
    expect(harness.passedMs()).toBeGreaterThanOrEqual(8_000);
    const renewed = { pending: 1, open: 0, sendMessageCalls: 1 };
    expect(await harness.run.progress()).toMatchObject(renewed);
    expect(await harness.run.ledger.states([1])).toEqual([{ kind: "intent", tryGroup: 1 }]);
    await harness.finish();
    expect(await harness.run.outcomes()).toMatchObject([{ kind: "succeeded", attempts: 2 }]);
    expect(harness.sandbox.stats()).toMatchObject({
      tasks: 2,
      lostTasks: 1,
      repeatedMessageIds: 0,
    });
    expect(await harness.run.progress()).toMatchObject({ retries: 1, sendMessageCalls: 2 });
  });

  test("one that is lost again is TASK_LOST", async () => {
    const harness = await createStepHarness({
      sandbox: { faults: [{ effect: { kind: "lose-task" } }] },
    });
    expect(await harness.through()).toMatchObject({
      kind: "failed",
      stage: "track",
      reason: "TASK_LOST",
      code: "-32001",
      attempts: 2,
    });
    expect(harness.calls().SendMessage).toBe(2);
    expect(harness.passedMs()).toBeGreaterThanOrEqual(16_000);
    expect(await harness.run.progress()).toMatchObject({ failed: 1, open: 0, pending: 0 });
  });

  test("the row is not forgotten when the queue does not take it at first", async () => {
    const harness = await createStepHarness({
      sandbox: { faults: [{ match: { to: 1 }, effect: { kind: "lose-task" } }] },
    });
    let isFull = true;
    harness.onSubmit = (job) => {
      if (!isFull) return harness.add(job.row, job);
      isFull = false;
      throw new Error("OOM command not allowed");
    };
    harness.add(1);
    await harness.step();
    const lost = harness.waiting[0];
    if (lost?.step !== "track") throw new Error("no task to follow");
    const since = { ...lost.job, lostSinceMs: harness.deps.now() - 9_000 };
    harness.clear();
    await harness.deps.addTrack(since, 0);
    await expect(harness.step()).rejects.toThrow("OOM");
    await harness.deps.addTrack(since, 0);
    await harness.finish();
    expect(await harness.run.outcomes()).toMatchObject([{ kind: "succeeded" }]);
  });
});

describe("an answer that is too large", () => {
  test("one beyond agent.maxResponseBytes fails the row, with its task", async () => {
    const harness = await createStepHarness({
      settings: { maxResponseBytes: 5_000 },
      sandbox: { faults: [{ effect: { kind: "huge", bytes: 6_000 } }] },
    });
    const outcome = await harness.through();
    expect(outcome).toMatchObject({ stage: "track", reason: "RESULT_TOO_LARGE", polls: 1 });
    expect(outcome.taskId).not.toBe("");
    expect(await harness.run.record.failures()).toEqual({ RESULT_TOO_LARGE: 1 });
  });

  test("one that is read but more than a row may keep fails it, too", async () => {
    const harness = await createStepHarness({
      sandbox: { faults: [{ effect: { kind: "huge", bytes: 1_100_000 } }] },
    });
    expect(await harness.through()).toMatchObject({ stage: "track", reason: "RESULT_TOO_LARGE" });
    expect(await harness.run.record.failures()).toEqual({ RESULT_TOO_LARGE: 1 });
    expect(await harness.run.progress()).toMatchObject({ failed: 1, succeeded: 0, open: 0 });
  });
});

describe("a state that says neither yes nor no", () => {
  const settings = { taskTimeoutMs: 35_000 };

  test.each([
    { state: "AUTH_REQUIRED", reason: "AUTH_REQUIRED" },
    { state: "DREAMING", reason: "UNKNOWN_STATE" },
    { state: "", reason: "UNKNOWN_STATE" },
    { state: "UNSPECIFIED", reason: "UNKNOWN_STATE" },
  ])(
    "'$state' is asked about every 10 s until its time is over, then $reason",
    async (expected) => {
      const harness = await createStepHarness({
        settings,
        sandbox: { faults: [{ effect: { kind: "end", state: expected.state } }] },
      });
      harness.add(1);
      await harness.step();
      await harness.step();
      expect(harness.waiting).toMatchObject([{ step: "track", delayMs: 10_000 }]);
      await harness.finish();
      const outcomes = await harness.run.outcomes();
      expect(outcomes).toMatchObject([{ kind: "failed", stage: "track", reason: expected.reason }]);
      expect(harness.passedMs()).toBeGreaterThanOrEqual(35_000);
      expect(harness.passedMs()).toBeLessThan(46_000);
      expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 5, CancelTask: 1 });
      expect(await harness.run.progress()).toMatchObject({ failed: 1, succeeded: 0, open: 0 });
    },
  );

  test("a task that goes on after all is a success", async () => {
    const harness = await createStepHarness({
      settings,
      sandbox: { faults: [{ effect: { kind: "end", state: "AUTH_REQUIRED", resumeAfterMs: 60 } }] },
    });
    harness.add(1);
    await harness.step();
    await harness.step();
    await new Promise((resolve) => setTimeout(resolve, 60));
    await harness.finish();
    expect(await harness.run.outcomes()).toMatchObject([{ kind: "succeeded" }]);
  });
});
