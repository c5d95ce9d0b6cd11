import type { OutputForm } from "../core/output-form.ts";
import { uniqueNames } from "../core/unique-names.ts";
import type { JsonlRow } from "./jsonl-line.ts";
import { createLineMaker } from "./jsonl-line.ts";
import type { PlacedRow } from "./output-cells.ts";
import type { OutputSet } from "./output-set.ts";
import { createColumnReader } from "./read-columns.ts";

/** A row of results.csv whose configured columns are not filled yet. */
interface ResultRow extends Omit<JsonlRow, "columns" | "outcome"> {
  readonly placed: Extract<PlacedRow, { file: "results" }>;
}

/** Writes the rows of results.csv and results.jsonl, many at a time. */
export interface ResultRows {
  add(row: ResultRow): Promise<void>;
  /** Writes what is left. */
  flush(): Promise<void>;
  /** Lines for people about cells that stayed empty. */
  warnings(): readonly string[];
}

/** Rows and characters that are held before they are written. */
const BATCH_ROWS = 256;
const BATCH_LENGTH = 1_048_576;

/** The configured columns' names as they stand in the file: none is one of the input's. */
export function columnNames(
  header: readonly string[],
  { columns }: Pick<OutputForm, "columns">,
): readonly string[] {
  return uniqueNames(
    columns.map(({ name }) => name),
    header,
  );
}

/** @param header the input's own columns */
export function createResultRows(
  files: Pick<OutputSet, "write" | "writeJsonl">,
  header: readonly string[],
  form: OutputForm,
): ResultRows {
  const reader = createColumnReader(form.columns);
  const toLine = createLineMaker(header, columnNames(header, form));
  let rows: ResultRow[] = [];
  let length = 0;

  async function flush(): Promise<void> {
    const columns = reader.read(rows.map(({ placed }) => placed.content));
    for (const [index, held] of rows.entries()) {
      const { runId, row, line, cells, placed } = held;
      const ours = [runId, String(row), String(line), ...placed.cells];
      const configured = columns[index] ?? [];
      await files.write("results", [...cells, ...ours, ...configured]);
      if (form.jsonl) {
        await files.writeJsonl(toLine({ ...held, columns: configured, outcome: placed.outcome }));
      }
    }
    rows = [];
    length = 0;
  }

  return {
    async add(row) {
      rows.push(row);
      length += row.placed.cells.reduce((sum, cell) => sum + cell.length, 0);
      if (rows.length >= BATCH_ROWS || length >= BATCH_LENGTH) await flush();
    },
    flush,
    warnings: () =>
      reader
        .givenUp()
        .map((name) => `results.columns: ${name} stayed empty, its pattern takes too long`),
  };
}
