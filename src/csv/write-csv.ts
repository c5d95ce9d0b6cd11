import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { type Options, stringify } from "csv-stringify/sync";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { escapeFormula } from "./escape-formula.ts";

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
  const partialPath = `${options.path}.partial`;
  const file = await orUnavailable(options.path, open(partialPath, "w"));
  return new CsvWriter(options, partialPath, file);
}

class CsvWriter implements CsvFile {
  private readonly options: CsvFileOptions;
  private readonly partialPath: string;
  private readonly file: FileHandle;
  private readonly format: Options;
  private readonly agentColumns: readonly number[];
  /** What comes before the header. */
  private mark: string;
  private rows: (readonly string[])[];
  private length = 0;
  private written: Promise<void> = Promise.resolve();
  private state: "open" | "closed" | "discarded" = "open";

  constructor(options: CsvFileOptions, partialPath: string, file: FileHandle) {
    const { columns, excel = false } = options;
    this.options = options;
    this.partialPath = partialPath;
    this.file = file;
    this.format = csvFormat(columns.length, excel);
    this.agentColumns = [...columns.keys()].filter((index) => columns[index]?.origin === "agent");
    this.rows = [columns.map(({ name }) => name)];
    this.mark = excel ? BYTE_ORDER_MARK : "";
  }

  write(row: readonly string[]): Promise<void> | undefined {
    if (this.state !== "open") throw new Error(`${this.options.path} is ${this.state}`);
    const { columns } = this.options;
    if (row.length !== columns.length) {
      throw new Error(`a row of ${row.length} cells for ${columns.length} columns`);
    }
    this.rows.push(this.harmless(row));
    this.length += row.reduce((sum, cell) => sum + cell.length, 0);
    return this.rows.length >= BATCH_ROWS || this.length >= BATCH_LENGTH ? this.flush() : undefined;
  }

  async close(): Promise<void> {
    if (this.state !== "open") return;
    const { path } = this.options;
    await this.flush();
    await orUnavailable(path, this.file.sync());
    await orUnavailable(path, this.file.close());
    await orUnavailable(path, rename(this.partialPath, path));
    await orUnavailable(path, syncFolder(dirname(path)));
    this.state = "closed";
  }

  async discard(): Promise<void> {
    if (this.state !== "open") return;
    this.state = "discarded";
    this.rows = [];
    // What failed while writing was reported there; here only the leftovers matter.
    await this.written.catch(() => undefined);
    await this.file.close();
    await rm(this.partialPath, { force: true });
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
    // Behind what is being written already, also when a caller did not wait.
    this.written = this.written.then(() => this.append(text));
    return this.written;
  }

  private async append(text: string): Promise<void> {
    await orUnavailable(this.options.path, this.file.writeFile(text, "utf8"));
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
    // A cell that begins with U+FEFF would be taken for the file's own mark.
    quoted_match: /^\uFEFF/u,
  };
}

/** Makes a rename survive a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function orUnavailable<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new OnboardError(EXIT.unavailable, `Cannot write ${path}: ${errorText(error)}`, {
      hint: "Free space or mend the folder's permissions, then run the same command again: it continues.",
      cause: error,
    });
  }
}
