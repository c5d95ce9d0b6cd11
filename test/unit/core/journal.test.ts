import { describe, expect, it } from "vitest";
import { outcomeLine, parseJournalLine, tryGroupOfRound } from "../../../src/core/journal.ts";

describe("a line of the journal", () => {
  it("gives the outcome back that was written", () => {
    const outcome = { kind: "needs-input", row: 7, question: "Which\n»Müller«?" };
    const line = outcomeLine(JSON.stringify(outcome));
    expect(line).not.toContain("\n");
    expect(parseJournalLine(line)).toEqual({ type: "outcome", outcome });
  });

  it("of an earlier version gives its outcome in today's form", () => {
    const flat = { kind: "succeeded", source: "status", artifactName: "", data: [], files: [] };
    const line = outcomeLine(JSON.stringify({ row: 7, ...flat, text: "ACME" }));
    expect(parseJournalLine(line)).toEqual({
      type: "outcome",
      outcome: {
        row: 7,
        kind: "succeeded",
        source: "status",
        artifacts: [],
        message: [{ kind: "text", text: "ACME" }],
      },
    });
  });

  it.each(["null", "7", '{"type":"outcome"}'])("is none when it is not ours: %s", (line) => {
    expect(parseJournalLine(line)).toBeUndefined();
  });

  it("gives the rows that are sent again back", () => {
    const retry = { type: "retry", round: 2, rows: [3, 4] };
    expect(parseJournalLine(JSON.stringify(retry))).toEqual(retry);
  });

  it("gives the run's header back", () => {
    const header = { type: "run", host: "h", settings: { runId: "r" } };
    expect(parseJournalLine(JSON.stringify(header))).toEqual(header);
  });

  it.each(["", '{"type":"outcome","outc', "\u0000\u0000\u0000"])(
    "is none when it is damaged: %j",
    (line) => {
      expect(parseJournalLine(line)).toBeUndefined();
    },
  );
});

describe("the try groups of a round", () => {
  it("are two, and no other round's; an answer begins in the second", () => {
    const groups = [1, 2].flatMap((round) => [
      tryGroupOfRound(round, false),
      tryGroupOfRound(round, true),
    ]);
    expect(groups).toEqual([2, 3, 4, 5]);
  });
});
