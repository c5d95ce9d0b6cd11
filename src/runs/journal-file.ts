import { createReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import type { JournalHeader } from "../core/journal.ts";
import { outcomeLine, parseJournalLine } from "../core/journal.ts";
import type { RowOutcome } from "../core/outcome.ts";
import { toDisk } from "./disk.ts";

/** The record of what was paid for, open for more; only whole, synced lines count. */
export interface Journal {
  /** Appends outcomes (as JSON) and resolves when they are safe on disk; after a failure it may be tried again. */
  append(outcomesJson: readonly string[]): Promise<void>;
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

/** Where an outcome stands in the journal. */
interface JournalPlace {
  readonly outcome: RowOutcome;
  readonly offset: number;
  readonly length: number;
}

/**
 * The outcomes of a journal in its order; damaged lines are passed over. None when there is no file.
 *
 * @yields each outcome with its place
 */
export async function* readOutcomes(file: string): AsyncIterable<JournalPlace> {
  let carry: Buffer[] = [];
  let offset = 0;
  for await (const chunk of streamOf(file)) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      const line = Buffer.concat([...carry, chunk.subarray(start, end)]);
      const parsed = parseJournalLine(line.toString("utf8"));
      if (parsed?.type === "outcome") {
        yield { outcome: parsed.outcome, offset, length: line.length };
      }
      offset += line.length + 1;
      carry = [];
      start = end + 1;
    }
    carry.push(chunk.subarray(start));
  }
}

async function* streamOf(file: string): AsyncIterable<Buffer> {
  try {
    // Without an encoding a stream gives buffers.
    for await (const chunk of createReadStream(file, { highWaterMark: 262_144 })) {
      yield Buffer.from(chunk);
    }
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("ENOENT")) throw error;
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
  return {
    async read(row) {
      const length = lengths[row] ?? 0;
      if (length === 0 || handle === undefined) return undefined;
      const line = Buffer.alloc(length);
      await handle.read(line, 0, length, offsets[row] ?? 0);
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
