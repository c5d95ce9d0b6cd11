import type { InputRow } from "../core/input.ts";
import type { ReadingNotes } from "../core/reading-notes.ts";
import { readTrailer, type Trailer } from "../core/trailer.ts";
import { type CellRecord, readCells } from "./cells.ts";
import type { FileShape } from "./find-shape.ts";
import type { RawRecord } from "./record-splitter.ts";
import { createRowMaker } from "./row-maker.ts";

/** Makes rows of records and leaves out what is none: rulings, repeated headers, empty lines, trailers. */
export interface RecordFrame {
  /** Adds to `rows` what a record, and those held back before it, come to. */
  take(raw: RawRecord, rows: InputRow[]): void;
  /** What is still held back is a trailer: it is noted, and gives no row. */
  end(): void;
}

interface HeldRecord {
  readonly record: CellRecord;
  readonly trailer: Trailer;
}

/** In two steps, since a pattern of both would try every place of a line for the strokes. */
const RULING_SIGNS = /^[\s|+\-=_*]+$/u;
const STROKES = /-{3}|={3}|_{3}|\*{3}/u;
/** Character codes that begin a ruling. */
const RULING_STARTS: ReadonlySet<number> = new Set(
  Array.from("|+-=_* \t", (character) => character.charCodeAt(0)),
);
/** More lines than these in a row end no file. */
const MAX_HELD = 20;

/** Starts a pass over a file's data records, which come in file order. */
export function createRecordFrame(file: FileShape, notes: ReadingNotes): RecordFrame {
  const makeRow = createRowMaker(file, notes);
  const isNoRow = createNoRowTest(file, notes);
  const findTrailer = createTrailerFinder(file);
  let held: HeldRecord[] = [];
  let rowCount = 0;

  return {
    take(raw, rows) {
      const record = readCells(raw, file.syntax);
      if (isNoRow(record)) return;
      const trailer = held.length < MAX_HELD ? findTrailer(record) : undefined;
      if (trailer !== undefined) {
        held.push({ record, trailer });
        return;
      }
      rowCount += held.length + 1;
      for (const one of held) rows.push(makeRow(one.record));
      if (held.length > 0) held = [];
      rows.push(makeRow(record));
    },
    end() {
      for (const one of held) noteTrailer(one, rowCount, notes);
      held = [];
    },
  };
}

function noteTrailer({ record, trailer }: HeldRecord, rowCount: number, notes: ReadingNotes): void {
  const { line, text } = record.raw;
  notes.skip(line, "the end of the file, not a partner", text);
  const { recordCount } = trailer;
  if (recordCount === undefined || recordCount === rowCount) return;
  notes.line = line;
  notes.add(`The file ends by saying that it has ${recordCount} records, but it has ${rowCount}`);
}

/** Gives the test whether a record is none; it notes what it leaves out. */
function createNoRowTest(file: FileShape, notes: ReadingNotes): (record: CellRecord) => boolean {
  const isHeader = createHeaderTest(file);

  function skipReason(record: CellRecord): string | undefined {
    const { text } = record.raw;
    if (RULING_STARTS.has(text.charCodeAt(0)) && isRuling(text)) return "a ruling";
    if (file.isList && !text.startsWith("|")) return "outside the list";
    return record.kind === "cells" && isHeader(record.cells) ? "the header once more" : undefined;
  }

  return (record) => {
    const { line, text } = record.raw;
    const why = skipReason(record);
    if (why !== undefined) {
      notes.skip(line, why, text);
      return true;
    }
    if (record.kind === "broken" || !isEmpty(record.cells)) return false;
    notes.line = line;
    notes.add("Lines without any text are left out");
    return true;
  };
}

const LAST_BLANK = 0x20;
const DELETE = 0x7f;

function isEmpty(cells: readonly string[]): boolean {
  // Nearly always the first cell tells.
  const first = cells[0]?.charCodeAt(0) ?? 0;
  if (first > LAST_BLANK && first < DELETE) return false;
  for (const cell of cells) if (cell !== "" && /[^\p{Z}\p{C}]/u.test(cell)) return false;
  return true;
}

function isRuling(text: string): boolean {
  return RULING_SIGNS.test(text) && STROKES.test(text);
}

/** A header that comes again, at a new page or where files were joined; a byte order mark may stand before it. */
function createHeaderTest({ names, shape }: FileShape): (cells: readonly string[]) => boolean {
  const wanted = names.map(plainName);
  const at = wanted.findIndex((name) => name !== "");
  const first = wanted[at];
  if (shape.headerLine === 0 || first === undefined) return () => false;
  return (cells) =>
    cells[at]?.includes(first) === true &&
    cells.length >= wanted.length &&
    wanted.every((name, column) => plainName(cells[column] ?? "") === name);
}

function plainName(name: string): string {
  return name.replaceAll("\uFEFF", "").trim();
}

/** A trailer has no country; a file without countries may have one too. */
function createTrailerFinder({
  shape,
  kept,
}: FileShape): (record: CellRecord) => Trailer | undefined {
  const [country] = shape.mapping.country ?? [];
  const column = country === undefined ? undefined : kept[country];
  return (record) => {
    if (record.kind === "broken") return undefined;
    const { cells } = record;
    const hasCountry = column !== undefined && (cells[column] ?? "").trim() !== "";
    return hasCountry ? undefined : readTrailer(cells);
  };
}
