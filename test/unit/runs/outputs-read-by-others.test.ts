import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import { writeOutputs } from "../../../src/runs/write-outputs.ts";
import { FORM, makeRun, SETTINGS, succeeded } from "./run-fixture.ts";

const execute = promisify(execFile);

const COLUMNS = ["name", "Nächste Spalte", "a,b", 'say "x"', "last"];

/** Cells that readers get wrong: what is written has to come back sign for sign. */
const CELLS = [
  ["ACME", 'says "hi", twice', "two\nlines\rmore\r\nmore", "=1+1", "007"],
  ["Müller & Söhne", "\u00A0NBSP\u00A0", "会社 😀", "+49 89 1", "00123456789012345678"],
  ["'quoted'", '"', "a;b|c\td", "-1", "1e5"],
  [" blanks ", "", "\\n", "@x", "TRUE"],
  ["last", "NULL", "NA", "\u200Bzero", "0.10"],
] as const;

const TEXTS = ['=cmd()|"x"', 'two\nlines, "quoted"', "😀\u00A0;", "plain", "@sum"];

function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

/** A results file with all of them; gives its path and what must be read from it. */
async function writeResults(excel: boolean) {
  const csv = [COLUMNS, ...CELLS].map((row) => row.map(quoted).join(",")).join("\n");
  const run = await makeRun(`${csv}\n`);
  await run.journal(...TEXTS.map((text, index) => succeeded(index + 1, { text })));
  const { folder, plan } = run;
  await writeOutputs({
    runId: SETTINGS.runId,
    folder,
    plan,
    form: { ...FORM, excel },
    unprocessed: "PENDING",
    readAt: "2026-11-30T20:00:00.000Z",
  });
  const delimiter = excel ? ";" : ",";
  const rows: string[][] = parse(await readFile(folder.results, "utf8"), { bom: true, delimiter });
  return { path: folder.results, rows, delimiter };
}

/** Python's csv module as a program: path and delimiter in, rows as JSON out. */
const PYTHON = `
import csv, json, sys
with open(sys.argv[1], encoding="utf-8-sig", newline="") as file:
    json.dump(list(csv.reader(file, delimiter=sys.argv[2])), sys.stdout)
`;

async function has(command: string): Promise<boolean> {
  return execute(command, ["--version"]).then(
    () => true,
    () => false,
  );
}

const hasPython = await has("python3");
const hasSqlite = await has("sqlite3");

describe.each([
  ["as it is", false],
  ["with --excel", true],
])("results.csv %s", (_form, excel) => {
  it("gives csv-parse the cells that were put in", async () => {
    const { rows } = await writeResults(excel);
    expect(rows[0]?.slice(0, 5)).toEqual(COLUMNS);
    expect(rows.slice(1).map((row) => row.slice(0, 5))).toEqual(CELLS);
    const text = rows[0]?.indexOf("onboard_text") ?? -1;
    expect(rows.slice(1).map((row) => row[text])).toEqual([
      `'${TEXTS[0]}`,
      TEXTS[1],
      TEXTS[2],
      TEXTS[3],
      `'${TEXTS[4]}`,
    ]);
  });

  it.skipIf(!hasPython)("gives Python's csv module the same", async () => {
    const { path, rows, delimiter } = await writeResults(excel);
    const { stdout } = await execute("python3", ["-c", PYTHON, path, delimiter]);
    expect(JSON.parse(stdout)).toEqual(rows);
  });

  it.skipIf(!hasSqlite)("gives sqlite3's importer the same", async () => {
    const { path, rows, delimiter } = await writeResults(excel);
    const { stdout } = await execute("sqlite3", [
      ":memory:",
      "-cmd",
      ".mode csv",
      `.separator ${delimiter} "${excel ? String.raw`\r\n` : String.raw`\n`}"`,
      `.import "${path}" results`,
      ".mode json",
      "SELECT * FROM results",
    ]);
    const read = (JSON.parse(stdout) as Record<string, string>[]).map((row) => Object.values(row));
    expect(read).toEqual(rows.slice(1));
  });
});
