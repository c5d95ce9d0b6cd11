import { describe, expect, it } from "vitest";
import { outcomeLine, parseJournalLine } from "../../../src/core/journal.ts";

describe("a line of the journal", () => {
  it("gives the outcome back that was written", () => {
    const outcome = { kind: "needs-input", row: 7, question: "Which\n»Müller«?" };
    const line = outcomeLine(JSON.stringify(outcome));
    expect(line).not.toContain("\n");
    expect(parseJournalLine(line)).toEqual({ type: "outcome", outcome });
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
