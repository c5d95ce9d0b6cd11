import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "csv-parse/sync";
import type { RunSummaryFile } from "../../src/core/summary.ts";

/** A row of an output file by column. */
export type OutputRow = Readonly<Record<string, string>>;

/** One output CSV, read by a reader that knows nothing of the program. */
export interface OutputCsv {
  readonly text: string;
  readonly header: readonly string[];
  readonly rows: readonly OutputRow[];
}

/** What lies in a run's folder when it has settled; a CSV that is not there has no rows. */
export interface RunOutputs {
  readonly runId: string;
  readonly dir: string;
  readonly names: readonly string[];
  readonly summary: RunSummaryFile;
  readonly results: OutputCsv;
  readonly failures: OutputCsv;
  readonly needsInput: OutputCsv;
  readonly unprocessed: OutputCsv;
}

const NOTHING: OutputCsv = { text: "", header: [], rows: [] };

/** Reads the outputs of a run; of the only one in the folder when no id is given. */
export async function readOutputs(outDir: string, runId?: string): Promise<RunOutputs> {
  const id = runId ?? (await onlyRun(outDir));
  const dir = path.join(outDir, id);
  return {
    runId: id,
    dir,
    names: (await readdir(dir)).toSorted(),
    summary: JSON.parse(await readFile(path.join(dir, "summary.json"), "utf8")) as RunSummaryFile,
    results: await readCsv(path.join(dir, "results.csv")),
    failures: await readCsv(path.join(dir, "failures.csv")),
    needsInput: await readCsv(path.join(dir, "needs-input.csv")),
    unprocessed: await readCsv(path.join(dir, "unprocessed.csv")),
  };
}

async function onlyRun(outDir: string): Promise<string> {
  const [runId, ...more] = await readdir(outDir);
  if (runId === undefined || more.length > 0) {
    throw new Error(`${outDir} has not one run in it but ${[runId, ...more].join(", ")}`);
  }
  return runId;
}

/** Reads a CSV file strictly; nothing when there is none. */
async function readCsv(file: string): Promise<OutputCsv> {
  if (!existsSync(file)) return NOTHING;
  const text = await readFile(file, "utf8");
  const [header = [], ...records] = parse(text);
  const rows = records.map((cells) =>
    Object.fromEntries(header.map((name, index) => [name, cells[index] ?? ""])),
  );
  return { text, header, rows };
}

/** The row numbers of all output CSVs together, ascending. */
export function allRows(outputs: RunOutputs): number[] {
  const { results, failures, needsInput, unprocessed } = outputs;
  return [results, failures, needsInput, unprocessed]
    .flatMap(({ rows }) => rowNumbers(rows))
    .toSorted((a, b) => a - b);
}

/** `onboard_row` of each row, in the order of the file. */
export function rowNumbers(rows: readonly OutputRow[]): number[] {
  return rows.map((row) => Number(row["onboard_row"]));
}

/** 1 to n. */
export function rowsUpTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
