import { describe, expect, it } from "vitest";
import type { InputPlan, PlannedRow } from "../../../src/runs/scan-input.ts";
import {
  countFailedWhenRead,
  inputFactsOf,
  planRows,
  scanInput,
} from "../../../src/runs/scan-input.ts";
import { tempFile } from "../csv/temp-folder.ts";
import { type PlanOptions, planFor } from "./run-fixture.ts";

/** Rows 1, 3 and 6 have one message; 4 has no name, 5 a cell too many. */
const CSV = `name,city,note
ACME,Berlin,first
Umbrella,,
ACME,Berlin,again
,Paris,no name
Globex,Rome,x,surplus
ACME,Berlin,and again
`;

async function plan(csv: string, options: PlanOptions = {}): Promise<InputPlan> {
  return planFor(await tempFile(csv), options);
}

async function rowsOf(input: InputPlan): Promise<PlannedRow[]> {
  const rows: PlannedRow[] = [];
  for await (const batch of planRows(input)) rows.push(...batch);
  return rows;
}

/** A row in few words: its message and the row that answers it, or why it fails. */
function brief(row: PlannedRow): string {
  return row.kind === "bad"
    ? `${row.record.row} ${row.record.failure.reason}`
    : `${row.record.row} ${row.text} = ${row.firstRow}`;
}

describe("the rows of an input", () => {
  it("have their message and the first row with the same one", async () => {
    const rows = await rowsOf(await plan(CSV));
    expect(rows.map(brief)).toEqual([
      "1 Name: ACME, City: Berlin = 1",
      "2 Name: Umbrella = 2",
      "3 Name: ACME, City: Berlin = 1",
      "4 NAME_MISSING",
      "5 ROW_TOO_WIDE",
      "6 Name: ACME, City: Berlin = 1",
    ]);
  });

  it("are each their own with --no-dedupe", async () => {
    const rows = await rowsOf(await plan(CSV, { dedupe: false }));
    expect(rows.map((row) => (row.kind === "bad" ? "bad" : row.firstRow))).toEqual([
      1,
      2,
      3,
      "bad",
      "bad",
      6,
    ]);
  });

  it("are the same in every pass", async () => {
    const input = await plan(CSV);
    expect(await rowsOf(input)).toEqual(await rowsOf(input));
  });

  it.each([1, 499, 500, 501, 1_000, 1_200, 5_000])("end with --limit %d", async (rowLimit) => {
    const names = Array.from({ length: 1_200 }, (_, index) => `partner ${index + 1}`);
    const rows = await rowsOf(await plan(`name\n${names.join("\n")}\n`, { rowLimit }));
    expect(rows).toHaveLength(Math.min(rowLimit, 1_200));
    expect(rows.at(-1)?.record.row).toBe(Math.min(rowLimit, 1_200));
  });
});

describe("the first pass", () => {
  it("knows the total, the failures and how many rows each message answers", async () => {
    const scan = await scanInput(await plan(CSV));
    expect(scan).toEqual({
      total: 6,
      failedWhenRead: new Map([
        ["NAME_MISSING", 1],
        ["ROW_TOO_WIDE", 1],
      ]),
      duplicates: 2,
      weights: new Map([[1, 3]]),
      warnings: [],
      skipped: [],
    });
    expect(countFailedWhenRead(scan)).toBe(2);
  });

  it("counts failures of one reason together", async () => {
    const scan = await scanInput(await plan("name,city\n,Rome\n,Paris\n"));
    expect([...scan.failedWhenRead]).toEqual([["NAME_MISSING", 2]]);
  });

  it("does not look beyond --limit", async () => {
    const scan = await scanInput(await plan(CSV, { rowLimit: 2 }));
    expect(scan).toEqual({
      total: 2,
      failedWhenRead: new Map(),
      duplicates: 0,
      weights: new Map(),
      warnings: [],
      skipped: [],
    });
  });

  it("finds nothing in a file without records", async () => {
    const scan = await scanInput(await plan("name,city\n"));
    expect(scan.total).toBe(0);
    expect(countFailedWhenRead(scan)).toBe(0);
  });

  it("ends when it is told to", async () => {
    const reason = new Error("interrupted");
    const input = await plan(CSV);
    await expect(scanInput(input, AbortSignal.abort(reason))).rejects.toBe(reason);
  });
});

describe("what summary.json tells of the input", () => {
  it("is where it came from and how it was read", async () => {
    const input = await plan("name;city\nACME;Berlin\n");
    const source = { file: "partners.csv", sha256: "ab", rows: 1 };
    const skipped = [{ line: 3, why: "a ruling", text: "---" }];
    expect(inputFactsOf(input, source, { warnings: ["odd"], skipped })).toEqual({
      file: "partners.csv",
      sha256: "ab",
      rows: 1,
      encoding: "utf-8",
      delimiter: ";",
      skipped,
      warnings: ["odd"],
    });
  });
});
