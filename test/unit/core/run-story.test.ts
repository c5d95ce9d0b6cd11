import { describe, expect, it } from "vitest";
import type { RowOutcome } from "../../../src/core/outcome.ts";
import type { RowEnding, StoryTeller } from "../../../src/core/run-story.ts";
import { createStoryTeller } from "../../../src/core/run-story.ts";
import { failed, needsInput, succeeded } from "../runs/run-fixture.ts";

const START_MS = Date.UTC(2026, 10, 30, 20, 0, 0);
const MINUTE_MS = 60_000;

function outcome(of: RowOutcome, isDuplicate = false): RowEnding {
  return { kind: "outcome", outcome: of, isDuplicate };
}

function tell(...endings: RowEnding[]): StoryTeller {
  const teller = createStoryTeller();
  for (const [index, ending] of endings.entries()) {
    teller.add({ row: index + 1, line: index + 2, ending });
  }
  return teller;
}

function at(minutes: number) {
  return { finishedAtMs: START_MS + minutes * MINUTE_MS };
}

describe("the story of a run", () => {
  it("has no time for an answer of an earlier run", () => {
    const reused = { ...succeeded(1, at(-60 * 24)), reusedFrom: "partners-0" };
    const { timeline } = tell(outcome(reused), outcome(succeeded(2, at(3)))).story();
    expect(timeline.steps).toEqual([{ succeeded: 1, failed: 0, needsInput: 0 }]);
  });

  it("is empty for no rows, and for rows without outcome", () => {
    const empty = {
      reasons: [],
      questions: { count: 0, examples: [] },
      repaired: { count: 0, examples: [] },
      timeline: { startMs: 0, stepMs: MINUTE_MS, steps: [] },
    };
    expect(tell().story()).toEqual(empty);
    expect(tell({ kind: "none" }).story()).toEqual(empty);
  });

  it("has the reasons with their first five rows, most frequent first", () => {
    const bad: RowEnding = { kind: "bad", reason: "NAME_MISSING", message: "no name" };
    const many = Array.from({ length: 7 }, (_, index) =>
      outcome(failed(index + 2, { message: `no ${index + 2}` }), index === 0),
    );
    const { reasons } = tell(bad, ...many).story();
    expect(reasons).toEqual([
      {
        reason: "TASK_FAILED",
        count: 7,
        examples: [2, 3, 4, 5, 6].map((row) => ({ row, line: row + 1, message: `no ${row}` })),
      },
      {
        reason: "NAME_MISSING",
        count: 1,
        examples: [{ row: 1, line: 2, message: "no name" }],
      },
    ]);
  });

  it("cuts long messages, and no sign in two", () => {
    const words = `${"x".repeat(299)}😀`;
    const { reasons } = tell(
      outcome(failed(1, { message: words })),
      outcome(failed(2, { message: "y".repeat(300) })),
    ).story();
    expect(reasons[0]?.examples.map(({ message }) => message)).toEqual([
      `${"x".repeat(299)}…`,
      "y".repeat(300),
    ]);
  });

  it("has questions, and rows that were answered after another try", () => {
    const { questions, repaired, reasons } = tell(
      outcome(needsInput(1, "Which?")),
      outcome(succeeded(2)),
      outcome(succeeded(3, { attempts: 3 })),
    ).story();
    expect(questions).toEqual({ count: 1, examples: [{ row: 1, line: 2, message: "Which?" }] });
    expect(repaired).toEqual({
      count: 1,
      examples: [{ row: 3, line: 4, message: "answered at try 3" }],
    });
    expect(reasons).toEqual([]);
  });
});

describe("the timeline", () => {
  it("counts outcomes by the minute, in any order, gaps included, duplicates not", () => {
    const { timeline } = tell(
      outcome(succeeded(1, at(2.5))),
      outcome(failed(2, at(0))),
      outcome(needsInput(3, "?")),
      outcome(succeeded(4, at(2.9)), true),
      outcome(succeeded(5, at(2))),
    ).story();
    expect(timeline).toEqual({
      startMs: START_MS,
      stepMs: MINUTE_MS,
      steps: [
        { succeeded: 0, failed: 1, needsInput: 1 },
        { succeeded: 0, failed: 0, needsInput: 0 },
        { succeeded: 2, failed: 0, needsInput: 0 },
      ],
    });
  });

  it("of a long run has longer steps and not more of them, and loses none", () => {
    const minutes = Array.from({ length: 3_000 }, (_, index) => (index * 7) % 3_000);
    const endings = minutes.flatMap((minute) => [
      outcome(succeeded(1, at(minute))),
      outcome(failed(2, at(minute))),
    ]);
    const { steps, stepMs } = tell(...endings).story().timeline;
    expect(steps.length).toBeLessThanOrEqual(240);
    expect(stepMs).toBe(16 * MINUTE_MS);
    const sum = (of: (step: (typeof steps)[number]) => number): number =>
      steps.reduce((total, step) => total + of(step), 0);
    expect(sum((step) => step.succeeded)).toBe(3_000);
    expect(sum((step) => step.failed)).toBe(3_000);
    expect(sum((step) => step.needsInput)).toBe(0);
  });

  it("may have one outcome that is years away", () => {
    const { steps } = tell(
      outcome(succeeded(1, { finishedAtMs: 0 })),
      outcome(succeeded(2, at(0))),
    ).story().timeline;
    expect(steps.length).toBeLessThanOrEqual(240);
    expect(steps[0]?.succeeded).toBe(1);
    expect(steps.at(-1)?.succeeded).toBe(1);
  });
});
