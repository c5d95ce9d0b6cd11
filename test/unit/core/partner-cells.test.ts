import { describe, expect, it } from "vitest";
import { createCellsJudge, MAX_CELL_LENGTH } from "../../../src/core/partner-cells.ts";
import { createReadingNotes } from "../../../src/core/reading-notes.ts";

describe("the judge of cells", () => {
  const header = ["id", "name", "city", "NAME2"];
  const mapping = { internalId: [0], name: [1, 3], city: [2], region: [] };
  const judgeCells = createCellsJudge(header, mapping, 2);
  const judge = (cells: readonly string[]) => judgeCells(cells, createReadingNotes());
  const reasonOf = (cells: readonly string[]) => {
    const verdict = judge(cells);
    return verdict.kind === "bad" ? verdict.failure.reason : verdict.partner;
  };

  it("makes a partner of the filled fields", () => {
    expect(judge([" 7 ", "ACME", "", "Holding\nAG"])).toEqual({
      kind: "partner",
      partner: { internalId: "7", name: "ACME Holding AG" },
    });
  });

  it("counts missing cells as empty and ignores as many empty ones as the file has", () => {
    expect(reasonOf(["7", "ACME"])).toEqual({ internalId: "7", name: "ACME" });
    expect(reasonOf(["7", "ACME", "Ulm", "", "", " "])).toMatchObject({
      name: "ACME",
      city: "Ulm",
    });
    expect(reasonOf(["7", "ACME", "Ulm", "", "", "", ""])).toBe("ROW_TOO_WIDE");
  });

  it("takes the second piece for the name when the first is empty", () => {
    expect(reasonOf(["7", "", "", "ACME"])).toMatchObject({ name: "ACME" });
  });

  it("refuses a record that is too wide, as a delimiter in a name makes it", () => {
    expect(judge(["7", "Pavlova", " Ltd.", "Ulm", "x"])).toEqual({
      kind: "bad",
      failure: {
        reason: "ROW_TOO_WIDE",
        message:
          'The record has 5 cells, the header names 4; a cell that holds the delimiter must be in quotes. Cell 3 looks like the end of cell 2: "Pavlova, Ltd." belongs in quotes.',
      },
    });
  });

  it("refuses a record that ends before the name", () => {
    expect(judge(["7"])).toEqual({
      kind: "bad",
      failure: {
        reason: "ROW_TOO_NARROW",
        message: "The record has 1 of 4 cells and ends before the name.",
      },
    });
  });

  it("refuses a record without a name", () => {
    expect(judge(["7", " \t", "Ulm", ""])).toEqual({
      kind: "bad",
      failure: { reason: "NAME_MISSING", message: 'The name is empty (column "name", "NAME2").' },
    });
    expect(createCellsJudge([], {}, 0)([], createReadingNotes())).toMatchObject({
      failure: { reason: "ROW_TOO_NARROW" },
    });
    expect(createCellsJudge([], { name: [0] }, 1)([""], createReadingNotes())).toMatchObject({
      failure: { reason: "NAME_MISSING" },
    });
  });

  it("refuses a cell that is too long and names its column", () => {
    expect(reasonOf(["7", "ACME", "x".repeat(MAX_CELL_LENGTH)])).toMatchObject({ name: "ACME" });
    expect(judge(["7", "ACME", "x".repeat(MAX_CELL_LENGTH + 1)])).toEqual({
      kind: "bad",
      failure: {
        reason: "CELL_TOO_LONG",
        message: "The cell in column 3 (city) has 32769 characters; at most 32768 are read.",
      },
    });
    expect(reasonOf(["7", "ACME", "", "", " ".repeat(MAX_CELL_LENGTH + 1)])).toBe("CELL_TOO_LONG");
  });
});
