import { rm } from "node:fs/promises";
import type { OutputForm } from "../core/output-form.ts";
import type { CsvColumn, CsvFile } from "../csv/write-csv.ts";
import { createCsvFile } from "../csv/write-csv.ts";
import { createJsonlFile } from "./jsonl-file.ts";
import type { OutputName } from "./output-cells.ts";
import { AGENT_COLUMNS, COMMON_COLUMNS, OUR_COLUMNS } from "./output-cells.ts";
import type { RunFolder } from "./run-folder.ts";

/** Rows in each file. */
export type OutputCounts = Readonly<Record<OutputName, number>>;

/** The output files of a run while they are written; they appear whole, when it is closed. */
export interface OutputSet {
  /** Adds a row to a CSV file. */
  write(name: OutputName, cells: readonly string[]): Promise<void>;
  /** Adds a line, with its end, to results.jsonl, if it is made. */
  writeJsonl(line: string): Promise<void>;
  close(): Promise<OutputCounts>;
  discard(): Promise<void>;
}

export interface OutputSetOptions {
  readonly folder: RunFolder;
  /** The input's own columns. */
  readonly header: readonly string[];
  /** Names of the configured columns of results.csv. */
  readonly configured: readonly string[];
  readonly form: OutputForm;
}

/** Files appear in the same order, whichever of them had the first row. */
const CLOSING_ORDER = ["results", "failures", "needsInput", "unprocessed"] as const;

/** results and failures are always there; the others only if any row is in them, results.jsonl if it was asked for. */
export function createOutputSet(options: OutputSetOptions): OutputSet {
  const { folder, form } = options;
  const counts = { results: 0, failures: 0, needsInput: 0, unprocessed: 0 };
  const open = new Map<OutputName, Promise<CsvFile>>();
  const jsonl = form.jsonl ? createJsonlFile(folder.resultsJsonl) : undefined;

  function csv(name: OutputName): Promise<CsvFile> {
    let opening = open.get(name);
    if (opening === undefined) {
      opening = createCsvFile({
        path: folder[name],
        columns: columnsOf(name, options),
        excel: form.excel,
      });
      open.set(name, opening);
    }
    return opening;
  }

  return {
    async write(name, cells) {
      counts[name] += 1;
      await (await csv(name)).write(cells);
    },
    async writeJsonl(line) {
      await jsonl?.write(line);
    },
    async close() {
      await Promise.all([csv("results"), csv("failures")]);
      for (const name of CLOSING_ORDER) await (await open.get(name))?.close();
      await jsonl?.close();
      for (const name of ["needsInput", "unprocessed"] as const) {
        if (!open.has(name)) await rm(folder[name], { force: true });
      }
      return counts;
    },
    async discard() {
      // One that could not be opened left nothing behind, and was told of there.
      for (const opening of open.values()) {
        await (await opening.catch(() => undefined))?.discard();
      }
      await jsonl?.discard();
    },
  };
}

function columnsOf(
  name: OutputName,
  { header, configured }: OutputSetOptions,
): readonly CsvColumn[] {
  const ours = [...COMMON_COLUMNS, ...OUR_COLUMNS[name]];
  return [
    ...header.map((column): CsvColumn => ({ name: column, origin: "user" })),
    ...ours.map(
      (column): CsvColumn => ({
        name: column,
        origin: AGENT_COLUMNS.has(column) ? "agent" : "ours",
      }),
    ),
    ...(name === "results" ? configured : []).map(
      (column): CsvColumn => ({ name: column, origin: "agent" }),
    ),
  ];
}
