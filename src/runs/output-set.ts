import { rm } from "node:fs/promises";
import type { OutputForm } from "../core/output-form.ts";
import { createWholeFile, type WholeFile } from "../csv/whole-file.ts";
import type { CsvColumn, CsvFile } from "../csv/write-csv.ts";
import { createCsvFile } from "../csv/write-csv.ts";
import type { OutputName } from "./output-cells.ts";
import { AGENT_COLUMNS, COMMON_COLUMNS, OUR_COLUMNS } from "./output-cells.ts";
import type { RunFolder } from "./run-folder.ts";

/** Rows in each file. */
export type OutputCounts = Readonly<Record<OutputName, number>>;

/** The output files of a run while they are written; they appear whole, when it is closed. */
export interface OutputSet {
  /** Adds a row to a CSV file. */
  write(name: OutputName, cells: readonly string[]): Promise<void>;
  /** Adds a line, with its end, to results.jsonl. */
  writeJsonl(line: string): Promise<void>;
  close(): Promise<OutputCounts>;
  discard(): Promise<void>;
}

export interface OutputSetOptions {
  readonly folder: RunFolder;
  /** The input's own columns. */
  readonly header: readonly string[];
  readonly form: OutputForm;
}

const JSONL_BATCH_LENGTH = 262_144;

/** results and failures are always there; the others only if any row is in them, results.jsonl if it was asked for. */
export function createOutputSet({ folder, header, form }: OutputSetOptions): OutputSet {
  const counts = { results: 0, failures: 0, needsInput: 0, unprocessed: 0 };
  const open = new Map<OutputName, Promise<CsvFile>>();
  let openJsonl: Promise<WholeFile> | undefined;
  let lines = "";

  function csv(name: OutputName): Promise<CsvFile> {
    let opening = open.get(name);
    if (opening === undefined) {
      opening = createCsvFile({
        path: folder[name],
        columns: columnsOf(name, header),
        excel: form.excel,
      });
      open.set(name, opening);
    }
    return opening;
  }

  async function flushLines(): Promise<void> {
    openJsonl ??= createWholeFile(folder.resultsJsonl);
    const text = lines;
    lines = "";
    await (await openJsonl).append(text);
  }

  return {
    async write(name, cells) {
      counts[name] += 1;
      await (await csv(name)).write(cells);
    },
    async writeJsonl(line) {
      lines += line;
      if (lines.length >= JSONL_BATCH_LENGTH) await flushLines();
    },
    async close() {
      await Promise.all([csv("results"), csv("failures")]);
      if (form.jsonl) await flushLines();
      for (const opening of open.values()) await (await opening).close();
      await (await openJsonl)?.close();
      for (const name of ["needsInput", "unprocessed"] as const) {
        if (!open.has(name)) await rm(folder[name], { force: true });
      }
      return counts;
    },
    async discard() {
      for (const opening of [...open.values(), openJsonl]) {
        // One that could not be opened left nothing behind, and was told of there.
        const file = await opening?.catch(() => undefined);
        await file?.discard();
      }
    },
  };
}

function columnsOf(name: OutputName, header: readonly string[]): readonly CsvColumn[] {
  const ours = [...COMMON_COLUMNS, ...OUR_COLUMNS[name]].map(
    (column): CsvColumn => ({
      name: column,
      origin: AGENT_COLUMNS.has(column) ? "agent" : "ours",
    }),
  );
  return [...header.map((column): CsvColumn => ({ name: column, origin: "user" })), ...ours];
}
