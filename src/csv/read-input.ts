import type { InputRow, InputShape, ReadOptions } from "../core/input.ts";
import { readCells } from "./cells.ts";
import { createDecoder } from "./decode.ts";
import { type FileShape, findShape } from "./find-shape.ts";
import { readChunks } from "./read-file.ts";
import { createRecordSplitter, type RawRecord } from "./record-splitter.ts";
import { createRowMaker } from "./row-maker.ts";

/** A partner file that was looked at and can be read. */
export interface OpenInput {
  readonly shape: InputShape;
  /**
   * All data records in file order, in batches of up to 500. Each call reads the file anew and gives the same.
   * @throws OnboardError exit 2 when the file cannot be read on; the signal's reason when it is aborted
   */
  rows(signal?: AbortSignal): AsyncIterable<readonly InputRow[]>;
}

const BATCH_ROWS = 500;
const CHUNK_BYTES = 65_536;

/** How a file is named and read; nothing of it changes the rows. */
export interface ReadManner {
  /** Stands in errors for the path: a copy goes by the name of its original. */
  readonly name?: string;
  /** How much is read at a time. */
  readonly chunkBytes?: number;
}

/**
 * Looks at the beginning of a file: encoding, delimiter, header and columns.
 * @throws OnboardError exit 2 when it cannot be read or the user has to decide something
 */
export async function openInput(
  path: string,
  options: ReadOptions,
  { name = path, chunkBytes = CHUNK_BYTES }: ReadManner = {},
): Promise<OpenInput> {
  const file = await findShape({ path, name }, options);
  return {
    shape: file.shape,
    rows: (signal) => readRows(file, { path, name, chunkBytes, signal }),
  };
}

interface Reading {
  readonly path: string;
  readonly name: string;
  readonly chunkBytes: number;
  readonly signal: AbortSignal | undefined;
}

async function* readRows(file: FileShape, reading: Reading): AsyncGenerator<readonly InputRow[]> {
  const makeRow = createRowMaker(file);
  let batch: InputRow[] = [];
  for await (const records of readRecords(file, reading)) {
    for (const record of records) {
      batch.push(makeRow(readCells(record, file.syntax)));
      if (batch.length === BATCH_ROWS) {
        yield batch;
        batch = [];
      }
    }
  }
  if (batch.length > 0) yield batch;
}

// Data records as they become complete; the header is left out.
async function* readRecords(file: FileShape, reading: Reading): AsyncGenerator<RawRecord[]> {
  const decoder = createDecoder(file.shape.encoding, reading.name);
  const splitter = createRecordSplitter(file.syntax, file.skippedLines);
  let headersLeft = file.shape.headerLine > 0 ? 1 : 0;
  const data = (records: RawRecord[]): RawRecord[] => {
    if (headersLeft === 0 || records.length === 0) return records;
    headersLeft = 0;
    return records.slice(1);
  };
  for await (const chunk of readChunks(reading.path, reading.chunkBytes, reading.signal)) {
    yield data(splitter.push(decoder.decode(chunk)));
  }
  yield data([...splitter.push(decoder.end()), ...splitter.end()]);
}
