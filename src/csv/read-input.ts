import type { InputRow, InputShape, ReadOptions } from "../core/input.ts";
import { createReadingNotes, type ReadingNotes } from "../core/reading-notes.ts";
import { createPlannedDecoder } from "./decode.ts";
import { type FileShape, findShape } from "./find-shape.ts";
import { createRecordFrame } from "./record-frame.ts";
import { createRecordSplitter, type RawRecord } from "./record-splitter.ts";

/** A partner file that was looked at and can be read. */
export interface OpenInput {
  readonly shape: InputShape;
  /**
   * All data records in file order, in batches of up to 500 and about 1 Mi characters. Each call reads the file anew and gives the same.
   * @param notes takes what the pass notices and which lines it leaves out
   * @throws OnboardError exit 2 when the file cannot be read on; the signal's reason when it is aborted
   */
  rows(signal?: AbortSignal, notes?: ReadingNotes): AsyncIterable<readonly InputRow[]>;
}

const BATCH_ROWS = 500;
/** Characters of the records of a batch: those that are as long as allowed come few at a time. */
const BATCH_LENGTH = 1_048_576;
const CHUNK_BYTES = 65_536;

/** How a file is named and read; nothing of it changes the rows. */
export interface ReadManner {
  /** Stands in errors for the path: a copy goes by the name of its original. */
  readonly name?: string;
  /** How much is read at a time. */
  readonly chunkBytes?: number;
}

/**
 * Looks at a file: encoding, delimiter, header and columns.
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
    rows: (signal, notes = createReadingNotes()) =>
      readRows(file, { name, chunkBytes, signal, notes }),
  };
}

interface Reading {
  readonly name: string;
  readonly chunkBytes: number;
  readonly signal: AbortSignal | undefined;
  readonly notes: ReadingNotes;
}

async function* readRows(file: FileShape, reading: Reading): AsyncGenerator<readonly InputRow[]> {
  const frame = createRecordFrame(file, reading.notes);
  let batch: InputRow[] = [];
  let length = 0;
  for await (const records of readRecords(file, reading)) {
    for (const record of records) {
      frame.take(record, batch);
      length += record.text.length;
      if (batch.length < BATCH_ROWS && length < BATCH_LENGTH) continue;
      if (batch.length > 0) yield batch;
      batch = [];
      length = 0;
    }
  }
  frame.end();
  if (batch.length > 0) yield batch;
}

// Data records as they become complete; the header is left out.
async function* readRecords(file: FileShape, reading: Reading): AsyncGenerator<RawRecord[]> {
  const decoder = createPlannedDecoder(file.encodingPlan, reading.name);
  const splitter = createRecordSplitter(file.syntax, file.skippedLines);
  let headersLeft = file.shape.headerLine > 0 ? 1 : 0;
  const data = (records: RawRecord[]): RawRecord[] => {
    if (headersLeft === 0 || records.length === 0) return records;
    headersLeft = 0;
    return records.slice(1);
  };
  for await (const chunk of file.bytes.chunks(reading.chunkBytes, reading.signal)) {
    yield data(splitter.push(decoder.decode(chunk)));
  }
  yield data([...splitter.push(decoder.end()), ...splitter.end()]);
}
