import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { InputShape, ReadOptions } from "../core/input.ts";
import { isOwnColumn, mapColumns } from "../core/mapping.ts";
import { readCells } from "./cells.ts";
import { createDecoder } from "./decode.ts";
import { findDelimiter, type Sample } from "./dialect.ts";
import { findForeignFormat } from "./foreign-format.ts";
import { readHead } from "./read-file.ts";
import { givenDelimiter, linesBeforeHeader } from "./read-options.ts";
import { createRecordSplitter, type RawRecord } from "./record-splitter.ts";
import { findNewline, type RecordSyntax } from "./record-syntax.ts";

/** How a file is cut into rows. */
export interface FileShape {
  readonly shape: InputShape;
  readonly syntax: RecordSyntax;
  /** Physical lines before the first record. */
  readonly skippedLines: number;
  /** Columns of the file, this program's own included. */
  readonly width: number;
  /** Columns of the file that `shape.header` names: all but this program's own. */
  readonly kept: readonly number[];
}

/** The header and where it stands; line 0 when `--columns` named the columns or the file has none. */
interface Header {
  readonly names: readonly string[];
  readonly line: number;
  readonly warnings: readonly string[];
}

const SAMPLE_BYTES = 65_536;
const EMPTY = "The file is empty.";
const NO_RECORDS = "The file has a header and no records.";

/**
 * Looks at the first 64 KiB of a file.
 * @param source where it is, and what errors call it
 * @throws OnboardError exit 2
 */
export async function findShape(
  source: { readonly path: string; readonly name: string },
  options: ReadOptions,
): Promise<FileShape> {
  const { name } = source;
  const skippedLines = linesBeforeHeader(options);
  const head = await readHead(source.path, SAMPLE_BYTES);
  refuseForeign(name, head);
  const decoder = createDecoder(options.encoding ?? "utf-8", name);
  const isWhole = head.length < SAMPLE_BYTES;
  const text = decoder.decode(head) + (isWhole ? decoder.end() : "");
  const sample = { text, isWhole };
  const found = chooseDelimiter(name, sample, options);
  const syntax = { delimiter: found.delimiter, newline: findNewline(text) };
  const records = firstRecords(sample, syntax, skippedLines);
  const header = readHeader(name, records, { options, syntax, isWhole });
  const columns = mapHeader(name, header, options);
  return {
    shape: {
      encoding: decoder.encoding,
      delimiter: syntax.delimiter,
      headerLine: header.line,
      header: columns.header,
      mapping: columns.mapping,
      ignoredColumns: columns.ignoredColumns,
      warnings: [...found.warnings, ...header.warnings, ...columns.warnings],
    },
    syntax,
    skippedLines,
    width: header.names.length,
    kept: columns.kept,
  };
}

function refuse(place: string, message: string): never {
  throw new OnboardError(EXIT.usage, `${place}: ${message}`);
}

function refuseForeign(name: string, head: Uint8Array): void {
  const format = findForeignFormat(head);
  if (format !== undefined) refuse(name, `this is ${format.name}, not a CSV; ${format.advice}.`);
}

function chooseDelimiter(name: string, sample: Sample, options: ReadOptions) {
  const given = givenDelimiter(options);
  if (given !== undefined) return { delimiter: given, warnings: [] };
  const finding = findDelimiter(sample, {
    skippedLines: linesBeforeHeader(options),
    columns: options.columns,
    expected: Object.values(options.map),
  });
  return finding.kind === "found" ? finding : refuse(name, finding.message);
}

function firstRecords(
  { text, isWhole }: Sample,
  syntax: RecordSyntax,
  skippedLines: number,
): readonly RawRecord[] {
  const splitter = createRecordSplitter(syntax, skippedLines);
  const records = splitter.push(text);
  return isWhole ? [...records, ...splitter.end()] : records;
}

interface HeaderContext {
  readonly options: ReadOptions;
  readonly syntax: RecordSyntax;
  readonly isWhole: boolean;
}

function readHeader(name: string, records: readonly RawRecord[], context: HeaderContext): Header {
  const [first, ...data] = records;
  const { columns } = context.options;
  if (columns !== undefined) {
    const warnings = first === undefined && context.isWhole ? [EMPTY] : [];
    return { names: columns, line: 0, warnings };
  }
  if (first === undefined) return withoutHeader(name, context);
  const { headerRow = first.line } = context.options;
  if (first.line !== headerRow) {
    const message = `this line is blank; the next record is on line ${first.line}.`;
    return refuse(`${name}:${headerRow}`, message);
  }
  const warnings = data.length === 0 && context.isWhole ? [NO_RECORDS] : [];
  return { names: headerCells(name, first, context.syntax), line: first.line, warnings };
}

function withoutHeader(name: string, { options: { headerRow }, isWhole }: HeaderContext): Header {
  if (!isWhole) return refuse(name, "the header does not end within the first 64 KiB.");
  if (headerRow !== undefined) refuse(`${name}:${headerRow}`, "there is no header on this line.");
  return { names: [], line: 0, warnings: [EMPTY] };
}

function headerCells(name: string, raw: RawRecord, syntax: RecordSyntax): readonly string[] {
  const header = readCells(raw, syntax);
  return header.kind === "cells"
    ? header.cells
    : refuse(`${name}:${raw.line}`, `the header cannot be read: ${header.why}`);
}

function mapHeader(name: string, { names, line }: Header, options: ReadOptions) {
  const kept = [...names.keys()].filter((column) => !isOwnColumn(names[column] ?? ""));
  const header = names.filter((column) => !isOwnColumn(column));
  if (names.length === 0) return { header, kept, mapping: {}, ignoredColumns: [], warnings: [] };
  const columns = mapColumns(header, options.map);
  if (columns.kind === "problem") {
    return refuse(line === 0 ? name : `${name}:${line}`, columns.message);
  }
  return { ...columns, header, kept };
}
