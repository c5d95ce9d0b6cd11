import { describe, expect, it } from "vitest";
import { renderCheck } from "../../../src/cli/check-text.ts";
import type { InputInspection } from "../../../src/runs/inspect-input.ts";

const INSPECTION: InputInspection = {
  encoding: "utf-8",
  delimiter: ";",
  headerLine: 2,
  reasons: { encoding: "valid", delimiter: "2 known names", header: "known names" },
  mapping: [
    { field: "name", headers: ["NAME1", "NAME2"] },
    { field: "city", headers: ["ORT01"] },
  ],
  ignoredColumns: ["KONZS"],
  rows: { total: 1_234, bad: 7, duplicates: 2, messages: 1_225, reused: 0 },
  badRows: [
    { reason: "NAME_MISSING", count: 6, lines: [5, 6, 7, 8, 9] },
    { reason: "ROW_TOO_WIDE", count: 1, lines: [12] },
  ],
  warnings: ["a VAT id has a wrong form: line 3"],
  skipped: [{ line: 1, why: "above the header", text: "Vendors\u001b[31m" }],
  firstMessage: "Name: ACME\nCity: Ulm",
};
const FORECAST = { sendMessage: 1_225, getTask: 1_225, durationMs: 245_000 };

function render(changes: Partial<InputInspection> = {}): string {
  const inspection = { ...INSPECTION, ...changes };
  return renderCheck({ file: "partners.csv", inspection, forecast: FORECAST });
}

describe("a file that was checked", () => {
  it("is told as a whole", () => {
    expect(render().split("\n")).toEqual([
      "partners.csv can be read",
      "  encoding   utf-8 (valid)",
      "  delimiter  ; (2 known names)",
      "  header     line 2 (known names)",
      "",
      "Columns:",
      "  name        NAME1 + NAME2",
      "  city        ORT01",
      "  never sent  KONZS",
      "",
      "Rows:",
      "  total           1,234",
      "  messages        1,225, one for each partner that is not a duplicate",
      "  duplicates      2, answered with the row before them",
      "  bad             7, not sent and told in failures.csv",
      "    NAME_MISSING  6: line 5, 6, 7, 8, 9, …",
      "    ROW_TOO_WIDE  1: line 12",
      "",
      "Warnings:",
      "  a VAT id has a wrong form: line 3",
      "",
      "Lines that are no rows:",
      "  1: above the header: Vendors",
      "",
      "A run:",
      "  calls  1,225 SendMessage, 1,225 GetTask or more",
      "  takes  4 min 5 s or more at the configured rates",
      "",
      "The first message:",
      "  Name: ACME City: Ulm",
    ]);
  });

  it("tells how many messages earlier runs have answered", () => {
    const rows = { total: 3, bad: 0, duplicates: 0, messages: 3, reused: 2 };
    expect(render({ rows })).toContain(
      "\n  reused          2 of them, with answers of earlier runs\n",
    );
  });

  it("names a tab and a header that was given", () => {
    const text = render({ delimiter: "\t", headerLine: 0, ignoredColumns: [] });
    expect(text).toContain("delimiter  tab (");
    expect(text).toContain("header     none (");
    expect(text).not.toContain("never sent");
  });

  it("shows the first of many warnings, and that nothing can be sent", () => {
    const warnings = Array.from({ length: 23 }, (_, index) => `warning ${index + 1}`);
    const text = render({ warnings, skipped: [], firstMessage: undefined });
    expect(text).toContain("  warning 20\n  and 3 more, all of them with --json");
    expect(text).not.toContain("Lines that are no rows");
    expect(text).toContain("none: no row can be sent");
  });
});
