import type { InputShape, ReadOptions, ShapeReasons } from "../core/input.ts";
import { isOwnColumn, mapColumns } from "../core/mapping.ts";
import { createReadingNotes } from "../core/reading-notes.ts";
import type { ByteSource, InputPlace } from "./byte-source.ts";
import { openBytes, readStart } from "./byte-source.ts";
import { readCells } from "./cells.ts";
import { createPlannedDecoder, type TextEncodingPlan } from "./decode.ts";
import { type Frame, findDelimiter, findRecordsAbove, type Sample } from "./dialect.ts";
import { findEncoding } from "./find-encoding.ts";
import { findTopLines, namedDelimiter, type TopLines } from "./find-frame.ts";
import { createNameTest, looksLikeData } from "./find-header.ts";
import { type ForeignFormat, findForeignFormat, findForeignText } from "./foreign-format.ts";
import { createRecordSplitter, type RawRecord } from "./record-splitter.ts";
import type { RecordSyntax } from "./record-syntax.ts";
import { refuse } from "./refuse.ts";

/** How a file is cut into rows. */
export interface FileShape {
  readonly shape: InputShape;
  readonly bytes: ByteSource;
  readonly encodingPlan: TextEncodingPlan;
  readonly syntax: RecordSyntax;
  /** Physical lines before the first record. */
  readonly skippedLines: number;
  /** Names of all columns, this program's own included. */
  readonly names: readonly string[];
  /** Columns of the file, this program's own included. */
  readonly width: number;
  /** With the nameless empty columns at the end of the header. */
  readonly fullWidth: number;
  /** With the empty cells that most records have behind the header's columns. */
  readonly usualWidth: number;
  /** Columns of the file that `shape.header` names. */
  readonly kept: readonly number[];
  /** Whether it is a list with a `|` at both ends of each line. */
  readonly isList: boolean;
}

const SAMPLE_BYTES = 131_072;
const SAMPLE_ROWS = 200;
const MAX_COLUMNS = 1_000;
const EMPTY = "The file is empty.";
const NO_RECORDS = "The file has a header and no records.";

/**
 * Looks at a file: at all its bytes for the encoding, at the first 128 KiB for everything else.
 * @throws OnboardError exit 2
 */
export async function findShape(place: InputPlace, options: ReadOptions): Promise<FileShape> {
  const { name } = place;
  const bytes = await openBytes(place);
  const head = await readStart(bytes, SAMPLE_BYTES);
  refuseForeign(name, findForeignFormat(head));
  const wish = { encoding: options.encoding, fallback: options.fallbackEncoding };
  const encoding = await findEncoding({ ...bytes, name }, head, wish);
  const decoder = createPlannedDecoder(encoding.plan, name);
  const isWhole = head.length < SAMPLE_BYTES;
  const text = decoder.decode(head) + (isWhole ? decoder.end() : "");
  refuseForeign(name, findForeignText(text));
  const cut = findCut(name, { text, isWhole }, options);
  const header = readHeader(name, cut, options);
  const columns = mapHeader({ name, header, cut, options });
  const records = cut.records.slice(cut.recordsAbove + (header.line > 0 ? 1 : 0));
  return {
    shape: {
      encoding: decoder.encoding,
      delimiter: cut.syntax.delimiter,
      headerLine: header.line,
      header: columns.header,
      mapping: columns.mapping,
      ignoredColumns: columns.ignoredColumns,
      warnings: [
        ...encoding.warnings,
        ...cut.warnings,
        ...emptyWarnings(cut, records),
        ...columns.warnings,
      ],
      skipped: skippedAbove(text, cut),
      reasons: reasonsOf({ packing: bytes.packing, encoding: encoding.reason, cut, header }),
    },
    bytes,
    encodingPlan: encoding.plan,
    syntax: cut.syntax,
    skippedLines: header.line > 0 ? header.line - 1 : cut.top.lineCount,
    names: header.names,
    width: header.names.length,
    fullWidth: header.fullWidth,
    usualWidth: Math.max(header.names.length, header.fullWidth, usualLength(header, cut)),
    kept: columns.kept,
    isList: header.isList,
  };
}

function refuseForeign(name: string, format: ForeignFormat | undefined): void {
  if (format !== undefined) refuse(name, `this is ${format.name}, not a CSV; ${format.advice}.`);
}

/** How the sample is cut into records, and which of them stand above the header. */
interface Cut {
  readonly syntax: RecordSyntax;
  readonly top: TopLines;
  readonly records: readonly RawRecord[];
  readonly recordsAbove: number;
  readonly isWhole: boolean;
  readonly reason: string;
  readonly warnings: readonly string[];
}

function findCut(name: string, sample: Sample, options: ReadOptions): Cut {
  const top = findTopLines(sample.text, options);
  const { columns, headerRow } = options;
  const frame: Frame = {
    skippedLines: top.lineCount,
    columns,
    expected: Object.values(options.map),
    mayFollowPreamble: columns === undefined && headerRow === undefined,
  };
  const named = namedDelimiter(options, top);
  const found =
    named === undefined
      ? findDelimiter(sample, frame)
      : {
          kind: "found" as const,
          ...named,
          recordsAbove: findRecordsAbove(named.delimiter, sample, frame),
          warnings: [],
        };
  if (found.kind === "problem") return refuse(name, found.message);
  const syntax = { delimiter: found.delimiter };
  const splitter = createRecordSplitter(syntax, top.lineCount);
  const complete = splitter.push(sample.text);
  return {
    ...found,
    syntax,
    top,
    records: sample.isWhole ? [...complete, ...splitter.end()] : complete,
    isWhole: sample.isWhole,
  };
}

/** Lines above the header, with the records that stand there. */
function skippedAbove(text: string, { top, records, recordsAbove }: Cut): InputShape["skipped"] {
  const lines = text.split(/\r\n|\r|\n/u, top.lineCount);
  const notes = createReadingNotes();
  for (const [index, line] of lines.entries()) {
    if (line.trim() !== "") notes.skip(index + 1, top.why, line);
  }
  for (const record of records.slice(0, recordsAbove)) {
    notes.skip(record.line, "above the header", record.text);
  }
  return notes.skipped();
}

function emptyWarnings({ isWhole, records }: Cut, data: readonly RawRecord[]): string[] {
  if (!isWhole || data.length > 0) return [];
  return [records.length === 0 ? EMPTY : NO_RECORDS];
}

/** The header and where it stands; line 0 when `--columns` named the columns or the file has none. */
interface Header {
  readonly names: readonly string[];
  readonly line: number;
  readonly fullWidth: number;
  readonly isList: boolean;
}

function readHeader(name: string, cut: Cut, options: ReadOptions): Header {
  const { columns, headerRow } = options;
  const first = cut.records[cut.recordsAbove];
  if (columns !== undefined) {
    return { names: columns, line: 0, fullWidth: columns.length, isList: false };
  }
  if (first === undefined) return withoutHeader(name, headerRow, cut.isWhole);
  if (headerRow !== undefined && first.line !== headerRow) {
    const message = `this line is blank; the next record is on line ${first.line}.`;
    return refuse(`${name}:${headerRow}`, message);
  }
  const all = headerCells(name, first, cut.syntax);
  const isList = first.text.startsWith("|") && all.length > 2 && (all.at(-1) ?? "").trim() === "";
  const names = withoutEmptyEnd(all, cut);
  if (names.length > MAX_COLUMNS) {
    return refuse(
      `${name}:${first.line}`,
      `the header has ${names.length} columns; at most ${MAX_COLUMNS} are read.`,
    );
  }
  return { names, line: first.line, fullWidth: all.length, isList };
}

function withoutHeader(name: string, headerRow: number | undefined, isWhole: boolean): Header {
  if (!isWhole) return refuse(name, "the header does not end within the first 128 KiB.");
  if (headerRow !== undefined) refuse(`${name}:${headerRow}`, "there is no header on this line.");
  return { names: [], line: 0, fullWidth: 0, isList: false };
}

function headerCells(name: string, raw: RawRecord, syntax: RecordSyntax): readonly string[] {
  const header = readCells(raw, syntax);
  return header.kind === "cells"
    ? header.cells
    : refuse(`${name}:${raw.line}`, `the header cannot be read: ${header.why}`);
}

/** Without the columns at its end that have neither name nor, as far as was looked, any cell. */
function withoutEmptyEnd(names: readonly string[], cut: Cut): readonly string[] {
  const rows = sampleRows(cut, 1);
  const last = names.findLastIndex(
    (name, column) => name.trim() !== "" || rows.some((row) => (row[column] ?? "").trim() !== ""),
  );
  return names.slice(0, last + 1);
}

/** The cells of the first records. @param headerLine 0 when no record is the header */
function sampleRows(
  { records, recordsAbove, syntax }: Cut,
  headerLine: number,
): readonly (readonly string[])[] {
  const first = headerLine === 0 ? 0 : recordsAbove + 1;
  return records.slice(first, first + SAMPLE_ROWS).flatMap((raw) => {
    const record = readCells(raw, syntax);
    return record.kind === "cells" ? [record.cells] : [];
  });
}

interface MappingInput {
  readonly name: string;
  readonly header: Header;
  readonly cut: Cut;
  readonly options: ReadOptions;
}

function mapHeader({ name, header: { names, line, isList }, cut, options }: MappingInput) {
  const kept = [...names.keys()].filter(
    (column) => !isOwnColumn(names[column] ?? "") && !(isList && column === 0),
  );
  const header = kept.map((column) => names[column] ?? "");
  if (names.length === 0) return { header, kept, mapping: {}, ignoredColumns: [], warnings: [] };
  const place = line === 0 ? name : `${name}:${line}`;
  refuseData(place, header, options);
  const rows = sampleRows(cut, line);
  const columns = mapColumns(
    header,
    options.map,
    rows.map((row) => kept.map((column) => row[column] ?? "")),
  );
  if (columns.kind === "problem") return refuse(place, columns.message);
  return { ...columns, header, kept };
}

/** How wide more than half of the records are; 0 when they differ, or hold more than the header names. */
function usualLength({ names, line }: Header, cut: Cut): number {
  const rows = sampleRows(cut, line);
  const counts = new Map<number, number>();
  for (const { length } of rows) counts.set(length, (counts.get(length) ?? 0) + 1);
  const [usual] = [...counts].find(([, count]) => count * 2 > rows.length) ?? [0];
  const isEmptyBehind = rows
    .filter(({ length }) => length === usual)
    .every((row) => row.slice(names.length).every((cell) => cell.trim() === ""));
  return isEmptyBehind ? usual : 0;
}

/** The first company must not be eaten as a header. */
function refuseData(place: string, header: readonly string[], options: ReadOptions): void {
  const isKnown = createNameTest(Object.values(options.map));
  if (options.columns !== undefined || header.some(isKnown) || !looksLikeData(header)) return;
  refuse(
    place,
    `the file seems to have no header: its first line looks like data (${header.slice(0, 3).join(", ")}). Name its ${header.length} columns with --columns name,country,… in their order; if the header is further down, say --header-row N.`,
  );
}

interface ReasonInput {
  readonly packing: string;
  readonly encoding: string;
  readonly cut: Cut;
  readonly header: Header;
}

function reasonsOf({ packing, encoding, cut, header }: ReasonInput): ShapeReasons {
  return {
    encoding: packing === "" ? encoding : `${encoding} (unpacked: ${packing})`,
    delimiter: cut.reason,
    header: headerReason(header, cut),
  };
}

function headerReason({ line, isList }: Header, { recordsAbove, top }: Cut): string {
  if (line === 0) return "the file has none, or --columns names the columns";
  if (isList) return `line ${line} is the first of a list that names columns`;
  if (recordsAbove > 0) return `line ${line} is the first with known names and the usual width`;
  return top.lineCount > 0 ? `line ${line} follows what is above it` : `line ${line} is the first`;
}
