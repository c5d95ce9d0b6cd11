import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  completed,
  doneText,
  later,
  type StubScript,
  taskAnswer,
  taskOf,
  taskSaying,
  textArtifact,
} from "../helpers/stub-agent.ts";
import { runOnStub, type StubRun } from "../helpers/stub-run.ts";

/** Each row is one report of a client that took an answer wrongly; the name tells which. */
const SCRIPTS: Readonly<Record<string, StubScript>> = {
  "Wrapped send": { SendMessage: (call) => completed(call) },
  "Bare send": {
    SendMessage: (call) => ({
      kind: "result",
      result: taskOf(call, "TASK_STATE_COMPLETED", { artifacts: [textArtifact(doneText(call))] }),
    }),
  },
  "Wrapped poll": {
    GetTask: (call) => ({
      kind: "result",
      result: {
        task: taskOf(call, "TASK_STATE_COMPLETED", { artifacts: [textArtifact(doneText(call))] }),
      },
    }),
  },
  "Blocks all the same": { SendMessage: (call) => later(call, 1_500, completed(call)) },
  "Rejected at the poll": {
    GetTask: (call) => taskSaying(call, "TASK_STATE_REJECTED", "Not my job."),
  },
  "Canceled at the poll": {
    GetTask: (call) => taskSaying(call, "TASK_STATE_CANCELED", "Stopped by an admin."),
  },
  "Failed at the poll": {
    GetTask: (call) => taskSaying(call, "TASK_STATE_FAILED", "The backend said no."),
  },
  "Asks between two polls": {
    GetTask: (call) =>
      call.nth === 1
        ? taskAnswer(call, "TASK_STATE_WORKING")
        : taskSaying(call, "TASK_STATE_INPUT_REQUIRED", "Which country?"),
  },
  "Asks at once": {
    SendMessage: (call) => taskSaying(call, "TASK_STATE_INPUT_REQUIRED", "Which one?"),
  },
  "Goes back to working": {
    GetTask: (call) =>
      call.nth === 1 ? completed(call) : taskAnswer(call, "TASK_STATE_WORKING", { artifacts: [] }),
  },
  "Number for a state": {
    GetTask: (call) => taskAnswer(call, 3, { artifacts: [textArtifact(doneText(call))] }),
  },
  "Failed number for a state": { GetTask: (call) => taskAnswer(call, 4) },
  "Text in the status alone": {
    GetTask: (call) => taskSaying(call, "TASK_STATE_COMPLETED", "The answer is here."),
  },
  "Full of nulls": {
    SendMessage: (call) => ({
      kind: "result",
      result: {
        task: {
          id: call.taskId,
          contextId: null,
          status: { state: "TASK_STATE_WORKING", message: null, timestamp: null },
          artifacts: null,
          history: null,
          metadata: null,
        },
        message: null,
      },
    }),
    GetTask: (call) =>
      taskAnswer(call, "TASK_STATE_COMPLETED", {
        contextId: null,
        history: null,
        artifacts: [
          null,
          { artifactId: null, name: null, parts: null, metadata: null },
          { parts: [null, { text: doneText(call), raw: null, url: null, data: null }] },
        ],
      }),
  },
  "Data with a status": {
    GetTask: (call) =>
      taskAnswer(call, "TASK_STATE_COMPLETED", {
        artifacts: [{ artifactId: "a", parts: [{ data: { status: "canceled" } }] }],
      }),
  },
  "Flood with its length": {
    SendMessage: () => ({ kind: "flood", sizeBytes: FLOOD_BYTES, announced: true }),
  },
  "Flood at the poll": {
    GetTask: () => ({ kind: "flood", sizeBytes: FLOOD_BYTES, announced: false }),
  },
  Ordinary: {},
};

const FLOOD_BYTES = 200 * 1024 * 1024;
/** The agent's default bound, and what lies between the two programs. */
const TAKEN_BYTES = 8 * 1024 * 1024 + 8 * 1024 * 1024;

describe("an answer of the agent", () => {
  let run: StubRun;

  beforeAll(async () => {
    run = await runOnStub({
      scripts: SCRIPTS,
      words: ["--request-timeout", "5s", "--task-timeout", "10s"],
    });
  });
  afterAll(() => run.close());

  function polls(name: string): number {
    return run.stub.calls(name, "GetTask").length;
  }

  test("exits 3, since some rows failed, and leaves none out", () => {
    expect(run.end.exitCode, run.end.stderr).toBe(3);
    const { rows } = run.outputs.summary;
    expect(rows).toMatchObject({ total: Object.keys(SCRIPTS).length, pending: 0, open: 0 });
    for (const name of Object.keys(SCRIPTS)) expect(run.row(name)["onboard_run_id"]).not.toBe("");
  });

  test("is the same task wrapped and bare (1: a2a-python#1192, A2A#1368, A2A#1240)", () => {
    for (const name of ["Wrapped send", "Bare send"]) {
      expect(run.row(name)).toMatchObject({
        file: "results",
        onboard_source: "artifact",
        onboard_text: doneText({ name }),
        onboard_polls: "0",
      });
      expect(polls(name)).toBe(0);
    }
  });

  test("may be wrapped at a poll, too, and is no empty task then (2: spring-ai-ascend#267)", () => {
    const name = "Wrapped poll";
    expect(run.row(name)).toMatchObject({ file: "results", onboard_text: doneText({ name }) });
    expect(polls(name)).toBe(1);
  });

  test("that is late and terminal needs no poll (4: mastra#20090)", () => {
    const name = "Blocks all the same";
    expect(run.row(name)).toMatchObject({
      file: "results",
      onboard_text: doneText({ name }),
      onboard_attempts: "1",
    });
    expect(run.stub.calls(name)).toHaveLength(1);
  });

  test("comes to a request without the old flag or any unknown field (5: a2a-go#346, A2A#1453)", () => {
    const sends = run.stub.calls(undefined, "SendMessage");
    // The stub refuses every unknown field.
    expect(sends.length).toBeGreaterThanOrEqual(Object.keys(SCRIPTS).length);
    for (const { params } of sends) {
      expect(params["configuration"]).toMatchObject({ returnImmediately: true });
      expect(params["configuration"]).not.toHaveProperty("blocking");
    }
    expect(run.row("Ordinary").file).toBe("results");
  });

  test.for([
    ["Rejected at the poll", "TASK_REJECTED", "Not my job."],
    ["Canceled at the poll", "TASK_CANCELED", "Stopped by an admin."],
    ["Failed at the poll", "TASK_FAILED", "The backend said no."],
  ] as const)(
    "with an end that is none of success is a failure within one poll: %s (6: adcp-client#977, 17: langchain4j#5470)",
    ([name, reason, message]) => {
      expect(run.row(name)).toMatchObject({
        file: "failures",
        onboard_stage: "track",
        onboard_reason: reason,
        onboard_message: message,
      });
      expect(polls(name)).toBe(1);
    },
  );

  test("names the task to ask about: the agent's own id, never another (7: adcp-client#966)", () => {
    const asked = run.stub.calls(undefined, "GetTask").map(({ taskId }) => taskId);
    expect(asked.filter((taskId) => !run.stub.taskIds.has(taskId))).toEqual([]);
    expect(run.row("Ordinary")["onboard_task_id"]).toMatch(/^task-\d+-of-stub$/);
  });

  test("with a question ends the row promptly, and the question is told (8: ggcode#1073)", () => {
    expect(run.row("Asks between two polls")).toMatchObject({
      file: "needsInput",
      onboard_question: "Which country?",
    });
    expect(polls("Asks between two polls")).toBe(2);
    expect(run.row("Asks at once")).toMatchObject({
      file: "needsInput",
      onboard_question: "Which one?",
    });
    expect(polls("Asks at once")).toBe(0);
  });

  test("that is terminal is the last one (14: a2a-python#1188)", () => {
    const name = "Goes back to working";
    expect(run.row(name)).toMatchObject({ file: "results", onboard_text: doneText({ name }) });
    expect(polls(name)).toBe(1);
  });

  test("may number its state as ProtoJSON does (15: a2a-js#640)", () => {
    expect(run.row("Number for a state").file).toBe("results");
    expect(run.row("Failed number for a state")).toMatchObject({
      file: "failures",
      onboard_reason: "TASK_FAILED",
    });
  });

  test("without artifacts is a success all the same (18: mcp-mesh#927)", () => {
    expect(run.row("Text in the status alone")).toMatchObject({
      file: "results",
      onboard_source: "status",
      onboard_text: "The answer is here.",
    });
  });

  test("may be full of nulls (28: a2a-registry#73)", () => {
    const name = "Full of nulls";
    expect(run.row(name)).toMatchObject({
      file: "results",
      onboard_text: doneText({ name }),
      onboard_context_id: "",
      onboard_data: "",
    });
  });

  test("holds data that is not the state of its task (39: adcp-client#2015)", () => {
    const row = run.row("Data with a status");
    expect(row.file).toBe("results");
    expect(JSON.parse(row["onboard_data"] ?? "")).toEqual({ status: "canceled" });
  });

  test.for([
    ["Flood with its length", "submit"],
    ["Flood at the poll", "track"],
  ] as const)(
    "of 200 MB is not read, and its row fails alone: %s (36: a2a-js#582)",
    ([name, stage]) => {
      expect(run.row(name)).toMatchObject({
        file: "failures",
        onboard_stage: stage,
        onboard_reason: "RESULT_TOO_LARGE",
      });
      expect(run.stub.calls(name, "SendMessage")).toHaveLength(1);
      expect(run.stub.floods).toHaveLength(2);
      for (const takenBytes of run.stub.floods) expect(takenBytes).toBeLessThan(TAKEN_BYTES);
    },
  );
});
