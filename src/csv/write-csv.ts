import { type Options, stringify } from "csv-stringify/sync";
import { escapeFormula } from "./escape-formula.ts";
import { createWholeFile, type WholeFile } from "./whole-file.ts";

/** One column of an output file. */
export interface CsvColumn {
  readonly name: string;
  /** Where its cells come from: those of the agent are made harmless for spreadsheets, the others stay as they are. */
  readonly origin: "user" | "agent" | "ours";
}

export interface CsvFileOptions {
  /** Where the file appears, whole, when it is closed. */
  readonly path: string;
  readonly columns: readonly CsvColumn[];
  /** With byte order mark, semicolons and CRLF, as spreadsheets like it. */
  readonly excel?: boolean;
}

/** A CSV file being written. Calls follow each other; the first failure ends it, and `discard` cleans up. */
export interface CsvFile {
  /**
   * Adds a row with one cell for each column. Wait for the promise where there is one: memory stays bounded.
   * @throws OnboardError exit 5 when the disk does not take it
   */
  write(row: readonly string[]): Promise<void> | undefined;
  /** Makes the file durable and gives it its name. @throws OnboardError exit 5 */
  close(): Promise<void>;
  /** Removes what was written; nothing after `close`. */
  discard(): Promise<void>;
}

/** Rows and characters that are kept before they are written. */
const BATCH_ROWS = 256;
const BATCH_LENGTH = 262_144;

const BYTE_ORDER_MARK = "\uFEFF";

/** Begins `<path>.partial` with the header. @throws OnboardError exit 5 when it cannot be made */
export async function createCsvFile(options: CsvFileOptions): Promise<CsvFile> {
  return new CsvWriter(options, await createWholeFile(options.path));
}

class CsvWriter implements CsvFile {
  private readonly columnCount: number;
  private readonly file: WholeFile;
  private readonly format: Options;
  private readonly agentColumns: readonly number[];
  /** What comes before the header. */
  private mark: string;
  private rows: (readonly string[])[];
  private length = 0;

  constructor({ columns, excel = false }: CsvFileOptions, file: WholeFile) {
    this.columnCount = columns.length;
    this.file = file;
    this.format = csvFormat(columns.length, excel);
    this.agentColumns = [...columns.keys()].filter((index) => columns[index]?.origin === "agent");
    this.rows = [columns.map(({ name }) => name)];
    this.mark = excel ? BYTE_ORDER_MARK : "";
  }

  write(row: readonly string[]): Promise<void> | undefined {
    this.file.assertOpen();
    if (row.length !== this.columnCount) {
      throw new Error(`a row of ${row.length} cells for ${this.columnCount} columns`);
    }
    this.rows.push(this.harmless(row));
    this.length += row.reduce((sum, cell) => sum + cell.length, 0);
    return this.rows.length >= BATCH_ROWS || this.length >= BATCH_LENGTH ? this.flush() : undefined;
  }

  async close(): Promise<void> {
    if (this.rows.length > 0) await this.flush();
    await this.file.close();
  }

  async discard(): Promise<void> {
    this.rows = [];
    await this.file.discard();
  }

  private harmless(row: readonly string[]): readonly string[] {
    if (this.agentColumns.length === 0) return row;
    const cells = [...row];
    for (const index of this.agentColumns) cells[index] = escapeFormula(cells[index] ?? "");
    return cells;
  }

  private flush(): Promise<void> {
    const text = this.mark + stringify(this.rows, this.format);
    this.mark = "";
    this.rows = [];
    this.length = 0;
    return this.file.append(text);
  }
}

/** RFC 4180, with quotes where another reader could lose a cell. */
function csvFormat(columnCount: number, excel: boolean): Options {
  return {
    delimiter: excel ? ";" : ",",
    record_delimiter: excel ? "\r\n" : "\n",
    eof: true,
    // A lone empty cell would be a blank line, which readers skip.
    quoted: columnCount === 1,
    quoted_empty: columnCount === 1,
    // A cell that begins with U+FEFF would be taken for the file's own mark; any kind of line break ends a record
    // for some reader, not only the file's own kind.
    quoted_match: /^\uFEFF|[\r\n]/u,
  };
}
