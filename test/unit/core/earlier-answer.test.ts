import { describe, expect, it } from "vitest";
import {
  answerLine,
  createAnswerKeys,
  HEAD_BYTES,
  isWorthKeeping,
  parseAnswerHead,
  reuseAnswer,
} from "../../../src/core/earlier-answer.ts";
import type { SucceededOutcome } from "../../../src/core/outcome.ts";

const OUTCOME: SucceededOutcome = {
  row: 5,
  taskId: "task-5",
  contextId: "context-5",
  attempts: 2,
  polls: 3,
  submittedAtMs: 1_790_000_000_000,
  finishedAtMs: 1_790_000_001_500,
  kind: "succeeded",
  source: "artifact",
  artifacts: [{ name: "data", parts: [{ kind: "text", text: "ACME „GmbH“\n, Bonn" }] }],
  message: [],
};

const AGENT = { agentUrl: "https://agent.example/", acceptedOutputModes: [] };
const keyOf = createAnswerKeys(AGENT);
const KEY = keyOf("Name: ACME");
const LINE = answerLine(KEY, "partners-1", OUTCOME);

/** The stored line with members of its own. */
const changed = (change: object): string =>
  JSON.stringify({ ...(JSON.parse(LINE) as object), ...change });

describe("the key of an answer", () => {
  it("is of 16 bytes and the same for the same question to the same agent", () => {
    expect(KEY).toHaveLength(16);
    expect(createAnswerKeys({ ...AGENT })("Name: ACME")).toBe(KEY);
  });

  it.each([
    ["message", AGENT, "Name: ACMF"],
    ["agent", { ...AGENT, agentUrl: "https://other.example/" }, "Name: ACME"],
    ["accepted forms", { ...AGENT, acceptedOutputModes: ["text/plain"] }, "Name: ACME"],
  ])("is another for another %s", (_what, agent, text) => {
    expect(createAnswerKeys(agent)(text)).not.toBe(KEY);
  });
});

describe("a stored answer", () => {
  it("is one line, which begins with its key and time and does not hold the question", () => {
    expect(LINE.indexOf("\n")).toBe(LINE.length - 1);
    expect(LINE).not.toContain("Name: ACME");
    expect(parseAnswerHead(LINE.slice(0, HEAD_BYTES))).toEqual({
      key: KEY,
      givenAtMs: OUTCOME.finishedAtMs,
    });
  });

  it.each(["", '{"key":"00"', '{"type":"outcome","outcome":{}}', "0".repeat(90)])(
    "is not what begins with %s",
    (start) => {
      expect(parseAnswerHead(start)).toBeUndefined();
    },
  );

  it("becomes the outcome of another row, for which no call was made", () => {
    expect(reuseAnswer(LINE, KEY, 8)).toEqual({
      ...OUTCOME,
      row: 8,
      attempts: 0,
      polls: 0,
      reusedFrom: "partners-1",
    });
  });

  it("is none when the line is damaged, holds another answer, or something else than one", () => {
    expect(reuseAnswer(LINE.slice(0, -30), KEY, 8)).toBeUndefined();
    expect(reuseAnswer(LINE, keyOf("Name: other"), 8)).toBeUndefined();
    expect(reuseAnswer(changed({ outcome: { kind: "failed" } }), KEY, 8)).toBeUndefined();
    expect(reuseAnswer(changed({ outcome: null }), KEY, 8)).toBeUndefined();
    expect(reuseAnswer(changed({ outcome: { kind: "succeeded" } }), KEY, 8)).toBeUndefined();
    expect(reuseAnswer("null", KEY, 8)).toBeUndefined();
  });

  it("is none when it would be too large for an outcome with what is added", () => {
    const sizeBytes = JSON.stringify(OUTCOME).length;
    const text = "x".repeat(1_048_576 - sizeBytes);
    const artifacts = [{ name: "data", parts: [{ kind: "text", text } as const] }];
    const line = answerLine(KEY, "partners-1", { ...OUTCOME, artifacts });
    expect(reuseAnswer(line, KEY, 8)).toBeUndefined();
  });
});

describe("an outcome", () => {
  it("is worth keeping when it is an answer that this run was given", () => {
    expect(isWorthKeeping(OUTCOME)).toBe(true);
    expect(isWorthKeeping({ ...OUTCOME, reusedFrom: "partners-0" })).toBe(false);
    const { artifacts: _artifacts, message: _message, source: _source, ...facts } = OUTCOME;
    expect(isWorthKeeping({ ...facts, kind: "needs-input", question: "?" })).toBe(false);
  });
});
