import { describe, expect, it } from "vitest";
import type {
  ArtifactContent,
  KnownTaskState,
  PartContent,
  TaskSnapshot,
} from "../../../src/core/call.ts";
import type { RowOutcome, SucceededOutcome } from "../../../src/core/outcome.ts";
import { contentOf, type OutcomeContent } from "../../../src/core/outcome-content.ts";
import { encodeOutcome, judgeTask, messageOutcome } from "../../../src/core/task-outcome.ts";

const FACTS = {
  row: 7,
  attempts: 2,
  polls: 3,
  submittedAtMs: 1_000,
  finishedAtMs: 5_000,
};

const IDS = { taskId: "task-7", contextId: "context-7" };

function text(words: string): PartContent {
  return { kind: "text", text: words };
}

function task(state: KnownTaskState, over: Partial<TaskSnapshot> = {}): TaskSnapshot {
  return {
    ...IDS,
    state: { kind: "known", state },
    statusParts: [],
    statusAtMs: undefined,
    artifacts: [],
    ...over,
  };
}

function outcomeOf(snapshot: TaskSnapshot): RowOutcome {
  const verdict = judgeTask(snapshot, FACTS);
  if (verdict.kind !== "ended") throw new Error(`the task is ${verdict.kind}`);
  return verdict.outcome;
}

function contentOfOutcome(snapshot: TaskSnapshot): OutcomeContent {
  const outcome = outcomeOf(snapshot);
  if (outcome.kind !== "succeeded") throw new Error(`the task ${outcome.kind}`);
  return contentOf(outcome);
}

function artifact(name: string, ...parts: PartContent[]): ArtifactContent {
  return { name, parts };
}

describe("a task that goes on", () => {
  it.each(["SUBMITTED", "WORKING"] as const)("%s is in progress", (state) => {
    expect(judgeTask(task(state), FACTS)).toEqual({ kind: "in-progress" });
  });

  it("with words or artifacts is no result before it has ended", () => {
    const working = task("WORKING", { statusParts: [text("half")], artifacts: [artifact("a")] });
    expect(judgeTask(working, FACTS)).toEqual({ kind: "in-progress" });
  });
});

describe("a COMPLETED task", () => {
  it("succeeds with the text of its artifacts", () => {
    const completed = task("COMPLETED", {
      statusParts: [text("done")],
      artifacts: [artifact("profile", text("ACME"), text("Berlin")), artifact("", text("more"))],
    });
    expect(outcomeOf(completed)).toEqual({
      ...FACTS,
      ...IDS,
      kind: "succeeded",
      source: "artifact",
      artifacts: completed.artifacts,
      message: [text("done")],
    });
    expect(contentOfOutcome(completed)).toEqual({
      artifactName: "profile",
      text: "ACME\nBerlin\nmore",
      data: [],
      files: [],
    });
  });

  it("keeps data, files and links of all artifacts in their order", () => {
    const link: PartContent = {
      kind: "url",
      url: "https://x.example/a.pdf",
      name: "a",
      mediaType: "",
    };
    const file: PartContent = { kind: "raw", base64: "QQ==", name: "b", mediaType: "text/plain" };
    const completed = task("COMPLETED", {
      artifacts: [
        artifact("one", { kind: "data", data: { vat: "DE1" } }, link),
        artifact("two", file, { kind: "data", data: null }),
      ],
    });
    expect(outcomeOf(completed)).toMatchObject({
      source: "artifact",
      artifacts: completed.artifacts,
    });
    expect(contentOfOutcome(completed)).toEqual({
      artifactName: "one, two",
      text: "",
      data: [{ vat: "DE1" }, null],
      files: [link, file],
    });
  });

  it("succeeds with the status message when there is no artifact", () => {
    const completed = task("COMPLETED", { statusParts: [text("ACME"), text("Berlin")] });
    expect(outcomeOf(completed)).toMatchObject({ kind: "succeeded", source: "status" });
    expect(contentOfOutcome(completed)).toMatchObject({ artifactName: "", text: "ACME\nBerlin" });
  });

  it.each([
    ["has no part", artifact("empty")],
    ["has an empty text", artifact("empty", text(" \n"))],
  ])("succeeds with the status message when its artifact %s", (_what, empty) => {
    const completed = task("COMPLETED", { statusParts: [text("ACME")], artifacts: [empty] });
    expect(outcomeOf(completed)).toMatchObject({ kind: "succeeded", source: "status" });
    expect(contentOfOutcome(completed).text).toBe("ACME");
  });

  it("succeeds with nothing at all", () => {
    const nothing = task("COMPLETED");
    expect(outcomeOf(nothing)).toMatchObject({ kind: "succeeded", source: "status" });
    expect(contentOfOutcome(nothing)).toEqual({ artifactName: "", text: "", data: [], files: [] });
  });
});

describe("a task that ended badly", () => {
  it.each([
    ["FAILED", "TASK_FAILED"],
    ["REJECTED", "TASK_REJECTED"],
    ["CANCELED", "TASK_CANCELED"],
  ] as const)("%s fails the row as %s, with the agent's words", (state, reason) => {
    expect(outcomeOf(task(state, { statusParts: [text("no"), text("data")] }))).toEqual({
      ...FACTS,
      ...IDS,
      kind: "failed",
      stage: "track",
      reason,
      code: "",
      message: "no\ndata",
    });
  });

  it("takes the words from its artifacts when the status has none", () => {
    const failed = task("FAILED", { artifacts: [artifact("error", text("quota"))] });
    expect(outcomeOf(failed)).toMatchObject({ kind: "failed", message: "quota" });
  });

  it("fails without words too", () => {
    expect(outcomeOf(task("REJECTED"))).toMatchObject({ kind: "failed", message: "" });
  });
});

describe("a task that waits for somebody", () => {
  it("INPUT_REQUIRED asks its question, words only", () => {
    const asking = task("INPUT_REQUIRED", {
      statusParts: [text("Which country?"), { kind: "data", data: { choices: ["DE", "AT"] } }],
    });
    expect(outcomeOf(asking)).toEqual({
      ...FACTS,
      ...IDS,
      kind: "needs-input",
      question: "Which country?",
    });
  });

  it.each([
    ["the agent's words", [text("sign in at …")], "sign in at …"],
    ["words of our own when there are none", [], "the task waits for an authorization"],
  ])("AUTH_REQUIRED is uncertain, with %s", (_what, statusParts, message) => {
    expect(judgeTask(task("AUTH_REQUIRED", { statusParts }), FACTS)).toEqual({
      kind: "uncertain",
      reason: "AUTH_REQUIRED",
      message,
    });
  });
});

describe("a task in a state that nobody knows", () => {
  it.each([
    ["TASK_STATE_PAUSED", "the task is in the unknown state TASK_STATE_PAUSED"],
    ["", "the task has no state"],
  ])("%j is uncertain, never a success, whatever it brings", (raw, message) => {
    const snapshot = task("COMPLETED", {
      state: { kind: "unknown", raw },
      artifacts: [artifact("profile", text("ACME"))],
    });
    expect(judgeTask(snapshot, FACTS)).toEqual({
      kind: "uncertain",
      reason: "UNKNOWN_STATE",
      message,
    });
  });
});

describe("a direct message", () => {
  it("is the result of a row without a task", () => {
    const parts = [text("ACME"), { kind: "data", data: 1 } as const];
    expect(messageOutcome({ contextId: "c", parts }, FACTS)).toEqual({
      ...FACTS,
      taskId: "",
      contextId: "c",
      kind: "succeeded",
      source: "message",
      artifacts: [],
      message: parts,
    });
  });
});

function succeeded(words: string, taskId = "task-7"): SucceededOutcome {
  return { ...messageOutcome({ contextId: "c", parts: [text(words)] }, FACTS), taskId };
}

describe("an outcome as it is stored", () => {
  /** What an outcome may have as one line of JSON. */
  const LIMIT_BYTES = 1_048_576;

  const frameBytes = JSON.stringify(succeeded("")).length;

  it("is one line of JSON", () => {
    const outcome = succeeded("two\nlines\u2028");
    const encoded = encodeOutcome(outcome);
    expect(encoded.outcome).toBe(outcome);
    expect(encoded.json).not.toContain("\n");
    expect(JSON.parse(encoded.json)).toEqual(outcome);
  });

  it("may have 1 MiB", () => {
    const encoded = encodeOutcome(succeeded("x".repeat(LIMIT_BYTES - frameBytes)));
    expect(encoded.json).toHaveLength(LIMIT_BYTES);
    expect(encoded.outcome.kind).toBe("succeeded");
  });

  it("counts bytes, not letters", () => {
    const letters = (LIMIT_BYTES - frameBytes) / 2 + 1;
    expect(encodeOutcome(succeeded("ä".repeat(letters))).outcome).toMatchObject({
      reason: "RESULT_TOO_LARGE",
    });
  });

  it.each([
    ["task-7", "track"],
    ["", "submit"],
  ])("becomes RESULT_TOO_LARGE with a byte more, task id %j kept, stage %s", (taskId, stage) => {
    const encoded = encodeOutcome(succeeded("x".repeat(LIMIT_BYTES), taskId));
    expect(encoded.outcome).toEqual({
      ...FACTS,
      taskId,
      contextId: "c",
      kind: "failed",
      stage,
      reason: "RESULT_TOO_LARGE",
      code: "",
      message: expect.stringMatching(/has \d{7} bytes, more than the 1048576/),
    });
    expect(JSON.parse(encoded.json)).toEqual(encoded.outcome);
  });
});
