import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLatch } from "../helpers/latch.ts";
import {
  completed,
  doneText,
  rpcError,
  type StubAnswer,
  type StubCall,
  type StubScript,
  taskAnswer,
  taskOf,
  taskSaying,
} from "../helpers/stub-agent.ts";
import { runOnStub, type StubRun } from "../helpers/stub-run.ts";

/** Longer than the wait before the second look at a task that only somebody else can move on. */
const TASK_TIMEOUT_MS = 12_000;

/** Works until it is asked to cancel; then its polls say what is given. */
function overdue(
  afterCancel: (call: StubCall) => StubAnswer,
  cancel: StubScript["CancelTask"],
): StubScript {
  let canceled = false;
  return {
    GetTask: (call) =>
      canceled ? afterCancel(call) : taskAnswer(call, "TASK_STATE_WORKING", { artifacts: [] }),
    CancelTask: (call) => {
      canceled = true;
      return cancel?.(call) ?? rpcError(-32002, "the task cannot be canceled");
    },
  };
}

const canceled = (call: StubCall): StubAnswer => taskAnswer(call, "TASK_STATE_CANCELED");

const SCRIPTS: Readonly<Record<string, StubScript>> = {
  Ordinary: {},
  "Authorized by somebody": {
    GetTask: (call) =>
      call.nth === 1
        ? taskSaying(call, "TASK_STATE_AUTH_REQUIRED", "Log in at https://idp.example/.")
        : completed(call),
  },
  "Never authorized": {
    GetTask: (call) =>
      taskSaying(call, "TASK_STATE_AUTH_REQUIRED", "Log in at https://idp.example/."),
  },
  "Paused state": { GetTask: (call) => taskAnswer(call, "TASK_STATE_PAUSED") },
  "Unrecognized state": { GetTask: (call) => taskAnswer(call, "UNRECOGNIZED") },
  "Number of no state": { GetTask: (call) => taskAnswer(call, 99) },
  "Unspecified state": { GetTask: (call) => taskAnswer(call, "TASK_STATE_UNSPECIFIED") },
  "Absent state": { GetTask: (call) => taskAnswer(call, undefined) },
  "State left out for a while": {
    GetTask: (call) =>
      call.nth === 1 ? taskAnswer(call, undefined, { status: {} }) : completed(call),
  },
  "Forgotten by the agent": { GetTask: (call) => rpcError(-32001, `no task ${call.taskId}`) },
  "Cancel refused and canceled": overdue(canceled, undefined),
  "Cancel refused and completed": overdue(completed, undefined),
  "Cancel unknown and completed": overdue(completed, () => rpcError(-32001, "no such task")),
  "Cancel answered with the end": overdue(completed, completed),
  "Cancel wrapped": overdue(canceled, (call) => ({
    kind: "result",
    result: { task: taskOf(call, "TASK_STATE_CANCELED") },
  })),
  "Cancel answered with null": overdue(completed, () => ({ kind: "result", result: null })),
  "Canceled and answered with null": overdue(canceled, () => ({ kind: "result", result: null })),
  "Completed during the cancel": completedDuringCancel(),
};

/** The others, while the agent forgets one. */
const ORDINARY = Array.from({ length: 99 }, (_, index) => `Partner ${index + 1}`);

const UNKNOWN_STATES = [
  ["Paused state", "TASK_STATE_PAUSED"],
  ["Unrecognized state", "UNRECOGNIZED"],
  ["Number of no state", "99"],
  ["Unspecified state", "TASK_STATE_UNSPECIFIED"],
  ["Absent state", "no state"],
] as const;

describe("a task", () => {
  let run: StubRun;

  beforeAll(async () => {
    run = await runOnStub({
      scripts: SCRIPTS,
      names: [...Object.keys(SCRIPTS), ...ORDINARY],
      words: ["--task-timeout", `${TASK_TIMEOUT_MS}ms`, "--request-timeout", "5s"],
    });
  });
  afterAll(() => run.close());

  function expectOneCancel(name: string): void {
    expect(run.stub.calls(name, "CancelTask")).toHaveLength(1);
    expect(run.stub.calls(name, "SendMessage")).toHaveLength(1);
  }

  test("of every kind is settled in bounded time", () => {
    expect(run.end.exitCode, run.end.stderr).toBe(3);
    expect(run.outputs.summary.rows).toMatchObject({ pending: 0, open: 0, unprocessed: 0 });
  });

  test("that waits for an authorization goes on when it has one (9: A2A#1582)", () => {
    const name = "Authorized by somebody";
    expect(run.row(name)).toMatchObject({ file: "results", onboard_text: doneText({ name }) });
    const [first, second, ...more] = run.stub.calls(name, "GetTask");
    expect(more).toEqual([]);
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThan(9_900);
  });

  test("that never gets its authorization is a failure of its own kind (6: adcp-client#977)", () => {
    expect(run.row("Never authorized")).toMatchObject({
      file: "failures",
      onboard_reason: "AUTH_REQUIRED",
      onboard_message: "Log in at https://idp.example/.",
      onboard_retryable: "true",
    });
    // Asked slowly, and no more often than the time allows.
    expect(run.stub.calls("Never authorized", "GetTask").length).toBeLessThanOrEqual(4);
  });

  test.for(UNKNOWN_STATES)(
    "in a state that nobody knows is never a success, and the state is told: %s (15: a2a-js#640)",
    ([name, told]) => {
      const row = run.row(name);
      expect(row).toMatchObject({ file: "failures", onboard_reason: "UNKNOWN_STATE" });
      expect(row["onboard_message"]).toContain(told);
      expect(run.stub.calls(name, "GetTask").length).toBeLessThanOrEqual(4);
    },
  );

  test("whose state is left out for a while is waited for (16: a2a-python#625)", () => {
    const name = "State left out for a while";
    expect(run.row(name)).toMatchObject({ file: "results", onboard_text: doneText({ name }) });
  });

  test("that is unknown for ever is sent once more, then lost (12: salesagent#2257, molecule-core#176)", () => {
    const name = "Forgotten by the agent";
    expect(run.row(name)).toMatchObject({
      file: "failures",
      onboard_reason: "TASK_LOST",
      onboard_attempts: "2",
    });
    const sends = run.stub.calls(name, "SendMessage");
    expect(new Set(sends.map(({ messageId }) => messageId)).size).toBe(2);
    expect(sends).toHaveLength(2);
    // Not at the first word of one replica.
    expect((sends[1]?.atMs ?? 0) - (sends[0]?.atMs ?? 0)).toBeGreaterThan(8_000);
  });

  test("that the agent has forgotten holds up none of the others (13: adcp-client#1596)", () => {
    const lost = run.row("Forgotten by the agent")["onboard_finished_at"] ?? "";
    for (const name of ORDINARY) {
      const row = run.row(name);
      expect(row).toMatchObject({ file: "results", onboard_text: doneText({ name }) });
      expect((row["onboard_finished_at"] ?? "") < lost, name).toBe(true);
    }
  });

  test.for(["Cancel refused and canceled", "Cancel wrapped", "Canceled and answered with null"])(
    "past its time is canceled once: %s (2: spring-ai-ascend#267, 31: a2a-js#539, 37: a2a-dotnet#429)",
    (name) => {
      expect(run.row(name)).toMatchObject({ file: "failures", onboard_reason: "TASK_TIMEOUT" });
      expectOneCancel(name);
    },
  );

  test.for([
    "Cancel refused and completed",
    "Cancel unknown and completed",
    "Cancel answered with the end",
    "Cancel answered with null",
    "Completed during the cancel",
  ])(
    "that ended before it could be canceled keeps its result, which is paid: %s (31: a2a-js#539, 32: adk-python#4161, a2a-rs#126, 37: a2a-dotnet#429)",
    (name) => {
      expect(run.row(name)).toMatchObject({ file: "results", onboard_text: doneText({ name }) });
      expectOneCancel(name);
    },
  );
});

/** The cancel is answered only when another poll, or nothing for a second, has come; the task has ended by then. */
function completedDuringCancel(): StubScript {
  const ended = createLatch();
  let isCanceling = false;
  return {
    GetTask: (call) => {
      if (!isCanceling) return taskAnswer(call, "TASK_STATE_WORKING");
      ended.open();
      return completed(call);
    },
    CancelTask: async () => {
      isCanceling = true;
      const late = setTimeout(() => ended.open(), 1_000);
      await ended.opened;
      clearTimeout(late);
      return rpcError(-32002, "the task has ended");
    },
  };
}
