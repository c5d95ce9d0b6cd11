import { stringify } from "csv-stringify/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { escapeFormula } from "../../../src/csv/escape-formula.ts";

describe("escapeFormula", () => {
  it.each([
    ["=1+1"],
    ["+49 731"],
    ["-1"],
    ["@SUM(A1)"],
    ["\t=1"],
    ["\r=1"],
    ["＝1"],
    ["＋1"],
    ["－1"],
    ["＠A1"],
  ])("makes text of %j", (cell) => {
    expect(escapeFormula(cell)).toBe(`'${cell}`);
  });

  it("leaves other cells as they are", () => {
    for (const cell of ["", "ACME", "a=1", "'=1", " =1"]) expect(escapeFormula(cell)).toBe(cell);
  });

  it("agrees with csv-stringify's own rule on any cell", () => {
    const cell = fc.oneof(
      fc.string(),
      fc.string({
        unit: fc.constantFrom("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠", "a", "\n"),
      }),
    );
    fc.assert(
      fc.property(cell, (text) => {
        const theirs = stringify([[text]], { escape_formulas: true });
        expect(stringify([[escapeFormula(text)]])).toBe(theirs);
      }),
    );
  });
});
