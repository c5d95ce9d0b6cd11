import { type FileHandle, open } from "node:fs/promises";
import type { JournalHeader, JournalLine, RetryLine, RowReply } from "../core/journal.ts";
import { outcomeLine, parseJournalLine } from "../core/journal.ts";
import type { RowOutcome } from "../core/outcome.ts";
import { createBlockReader } from "./block-reader.ts";
import { toDisk } from "./disk.ts";
import { readPlacedLines } from "./placed-lines.ts";

/** The record of what was paid for, open for more; only whole, synced lines count. */
export interface Journal {
  /** Appends outcomes (as JSON) and resolves when they are safe on disk; after a failure it may be tried again. */
  append(outcomesJson: readonly string[]): Promise<void>;
  /** Appends, as safely, that rows are sent again. */
  appendRetry(retry: Omit<RetryLine, "type">): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a run's journal, begins it when there is none, and cuts off a torn last line.
 *
 * @throws OnboardError exit 5 when the disk does not take it
 */
export async function openJournal(file: string, header: JournalHeader): Promise<Journal> {
  const handle = await toDisk(file, () => open(file, "a+"));
  let keptBytes = 0;
  let isTorn = false;

  async function write(text: string): Promise<void> {
    // What a full disk took of an earlier text would run together with this one.
    if (isTorn) await handle.truncate(keptBytes);
    isTorn = true;
    await handle.appendFile(text);
    await handle.datasync();
    keptBytes += Buffer.byteLength(text);
    isTorn = false;
  }

  try {
    keptBytes = await toDisk(file, () => cutTornLine(handle));
    if (keptBytes === 0) await toDisk(file, () => write(`${JSON.stringify(header)}\n`));
  } catch (error) {
    await handle.close();
    throw error;
  }
  return {
    append: (outcomes) =>
      toDisk(file, () => write(outcomes.map((json) => `${outcomeLine(json)}\n`).join(""))),
    appendRetry: (retry) =>
      toDisk(file, () => write(`${JSON.stringify({ type: "retry", ...retry })}\n`)),
    close: () => handle.close(),
  };
}

/** @returns the size up to and with the last line end */
async function cutTornLine(handle: FileHandle): Promise<number> {
  const { size } = await handle.stat();
  const chunk = Buffer.alloc(65_536);
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunk.length);
    const { bytesRead } = await handle.read(chunk, 0, end - start, start);
    const newline = chunk.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (newline !== -1) {
      const keptBytes = start + newline + 1;
      if (keptBytes < size) await handle.truncate(keptBytes);
      return keptBytes;
    }
    end = start;
  }
  if (size > 0) await handle.truncate(0);
  return 0;
}

/** A line of the journal with its place. */
interface PlacedLine {
  readonly line: JournalLine;
  readonly offset: number;
  readonly length: number;
}

/** Where an outcome stands in the journal. */
interface JournalPlace extends Omit<PlacedLine, "line"> {
  readonly outcome: RowOutcome;
}

/** Since when the outcomes of a row count no more, and as what it is sent again. */
export interface ReopenedRow {
  readonly round: number;
  readonly offset: number;
  /** Undefined when the row's own message is sent again. */
  readonly reply: RowReply | undefined;
}

/** The rows that were sent again, by row. */
export async function readReopened(file: string): Promise<ReadonlyMap<number, ReopenedRow>> {
  const reopened = new Map<number, ReopenedRow>();
  for await (const { line, offset } of readLines(file, RETRY_START)) {
    if (line.type !== "retry") continue;
    const { round, rows, replies = [] } = line;
    for (const row of rows) reopened.set(row, { round, offset, reply: undefined });
    for (const reply of replies) reopened.set(reply.row, { round, offset, reply });
  }
  return reopened;
}

/**
 * The outcomes of a journal that count, in its order. None when there is no file.
 *
 * @yields each outcome with its place
 */
export async function* readOutcomes(file: string): AsyncIterable<JournalPlace> {
  const reopened = await readReopened(file);
  for await (const { line, offset, length } of readLines(file)) {
    if (line.type !== "outcome") continue;
    const { outcome } = line;
    if (offset > (reopened.get(outcome.row)?.offset ?? -1)) yield { outcome, offset, length };
  }
}

const RETRY_START = Buffer.from('{"type":"retry"');

/**
 * The lines of a journal; damaged ones are passed over.
 *
 * @param start only lines that begin so
 * @yields each line with its place
 */
async function* readLines(file: string, start?: Buffer): AsyncIterable<PlacedLine> {
  for await (const { bytes, offset } of readPlacedLines(file)) {
    if (start !== undefined && !bytes.subarray(0, start.length).equals(start)) continue;
    const line = parseJournalLine(bytes.toString("utf8"));
    if (line !== undefined) yield { line, offset, length: bytes.length };
  }
}

/** Outcomes by row, for one pass in input order; memory grows by 12 bytes a row. */
export interface OutcomesByRow {
  /** Undefined for a row without outcome. */
  read(row: number): Promise<RowOutcome | undefined>;
  close(): Promise<void>;
}

/** Indexes a journal; of several outcomes of a row the last counts. */
export async function indexOutcomes(file: string): Promise<OutcomesByRow> {
  let offsets = new Float64Array(1024);
  let lengths = new Uint32Array(1024);
  for await (const { outcome, offset, length } of readOutcomes(file)) {
    if (outcome.row >= lengths.length) {
      const size = Math.max(outcome.row + 1, lengths.length * 2);
      offsets = grow(offsets, new Float64Array(size));
      lengths = grow(lengths, new Uint32Array(size));
    }
    offsets[outcome.row] = offset;
    lengths[outcome.row] = length;
  }
  const handle = await open(file, "r").catch(() => undefined);
  // Rows end about in the order of the input: their lines lie near one another.
  const readPiece = handle === undefined ? undefined : createBlockReader(handle);
  return {
    async read(row) {
      const length = lengths[row] ?? 0;
      if (length === 0 || readPiece === undefined) return undefined;
      const line = await readPiece(offsets[row] ?? 0, length);
      const parsed = parseJournalLine(line.toString("utf8"));
      return parsed?.type === "outcome" ? parsed.outcome : undefined;
    },
    async close() {
      await handle?.close();
    },
  };
}

function grow<T extends Float64Array | Uint32Array>(old: T, larger: T): T {
  larger.set(old);
  return larger;
}
