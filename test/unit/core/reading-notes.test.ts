import { expect, it } from "vitest";
import { createReadingNotes } from "../../../src/core/reading-notes.ts";

it("counts equal notes together and shows the first five lines", () => {
  const notes = createReadingNotes();
  for (let line = 1; line <= 7; line += 1) {
    notes.line = line;
    notes.add("Odd");
  }
  expect(notes.warnings()).toEqual(["Odd: 7 times, line 1, 2, 3, 4, 5 and others."]);
});

it("names a line once, however often it is noted", () => {
  const notes = createReadingNotes();
  for (const line of [3, 3, 4, 4, 4]) {
    notes.line = line;
    notes.add("Odd");
  }
  expect(notes.warnings()).toEqual(["Odd: 5 times, line 3, 4."]);
});

it("lists what is left out, in bounded memory", () => {
  const notes = createReadingNotes();
  for (let line = 1; line <= 10_002; line += 1) notes.skip(line, "a ruling", "-".repeat(300));
  expect(notes.skipped()).toHaveLength(10_000);
  expect(notes.skipped()[0]).toEqual({ line: 1, why: "a ruling", text: "-".repeat(200) });
  expect(notes.warnings()).toEqual([
    "Left out, and not listed any more: 2 times, line 10001, 10002.",
  ]);
});
