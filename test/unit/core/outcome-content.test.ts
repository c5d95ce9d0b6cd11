import { describe, expect, it } from "vitest";
import type { OutcomeFile, OutcomePart } from "../../../src/core/outcome.ts";
import { contentOf, hasContent, parseOutcome } from "../../../src/core/outcome-content.ts";

const FACTS = {
  row: 7,
  taskId: "task-7",
  contextId: "context-7",
  attempts: 2,
  polls: 3,
  submittedAtMs: 1_000,
  finishedAtMs: 5_000,
};

const LINK: OutcomeFile = { kind: "url", name: "a", mediaType: "", url: "https://x.example/a" };

function text(words: string): OutcomePart {
  return { kind: "text", text: words };
}

function data(value: unknown): OutcomePart {
  return { kind: "data", data: value };
}

describe("the content of an answer", () => {
  it("is gathered over all artifacts in their order, and the message does not count", () => {
    const artifacts = [
      { name: "one", parts: [data(1), text("a"), LINK] },
      { name: "", parts: [] },
      { name: "two", parts: [text("b"), data(null)] },
    ];
    expect(contentOf({ artifacts, message: [text("done")] })).toEqual({
      artifactName: "one, two",
      text: "a\nb",
      data: [1, null],
      files: [LINK],
    });
  });

  it("is that of the message when the artifacts say nothing", () => {
    const artifacts = [{ name: "empty", parts: [text(" \n")] }];
    expect(hasContent(artifacts)).toBe(false);
    expect(contentOf({ artifacts, message: [text("ACME")] })).toEqual({
      artifactName: "empty",
      text: "ACME",
      data: [],
      files: [],
    });
  });
});

describe("an outcome that was stored before artifacts and parts were kept apart", () => {
  const flat = { ...FACTS, kind: "succeeded", data: [{ vat: 1 }], files: [LINK] };

  it("has one artifact with what was known", () => {
    const stored = { ...flat, source: "artifact", artifactName: "profile", text: "ACME" };
    expect(parseOutcome(JSON.stringify(stored))).toEqual({
      ...FACTS,
      kind: "succeeded",
      source: "artifact",
      artifacts: [{ name: "profile", parts: [text("ACME"), data({ vat: 1 }), LINK] }],
      message: [],
    });
  });

  it.each([
    ["status", "", []],
    ["message", "", []],
    ["status", "profile", [{ name: "profile", parts: [] }]],
  ])(
    "has its content in the message when that was the source (%s, %j)",
    (source, artifactName, artifacts) => {
      const stored = { ...flat, source, artifactName, text: "" };
      expect(parseOutcome(JSON.stringify(stored))).toEqual({
        ...FACTS,
        kind: "succeeded",
        source,
        artifacts,
        message: [data({ vat: 1 }), LINK],
      });
    },
  );

  it("gives the same cells as before", () => {
    const stored = { ...flat, source: "artifact", artifactName: "profile", text: "a\nb" };
    const outcome = parseOutcome(JSON.stringify(stored));
    expect(outcome.kind === "succeeded" && contentOf(outcome)).toEqual({
      artifactName: "profile",
      text: "a\nb",
      data: [{ vat: 1 }],
      files: [LINK],
    });
  });
});

it("leaves outcomes in today's form, and those that are no success, as they are", () => {
  const outcomes = [
    { ...FACTS, kind: "succeeded", source: "artifact", artifacts: [], message: [] },
    { ...FACTS, kind: "failed", stage: "track", reason: "TASK_FAILED", code: "", message: "no" },
    { ...FACTS, kind: "needs-input", question: "Which?" },
  ];
  for (const outcome of outcomes) expect(parseOutcome(JSON.stringify(outcome))).toEqual(outcome);
});
