import type { Delimiter } from "../core/input.ts";
import { readCells } from "./cells.ts";
import { createNameTest, findHeader } from "./find-header.ts";
import { createRecordSplitter, type RawRecord } from "./record-splitter.ts";
import type { RecordSyntax } from "./record-syntax.ts";

/** The beginning of a file, decoded. */
export interface Sample {
  readonly text: string;
  /** Whether it is the whole file. */
  readonly isWhole: boolean;
}

/** What is known about the file before its delimiter. */
export interface Frame {
  /** Physical lines before the header. */
  readonly skippedLines: number;
  /** Names of the columns when the file has no header. */
  readonly columns: readonly string[] | undefined;
  /** Header names that the user told us of. */
  readonly expected: readonly string[];
  /** Whether the header may stand below other lines. */
  readonly mayFollowPreamble: boolean;
}

export type DelimiterFinding =
  | {
      readonly kind: "found";
      readonly delimiter: string;
      /** Records before the header. */
      readonly recordsAbove: number;
      readonly reason: string;
      readonly warnings: readonly string[];
    }
  | { readonly kind: "problem"; readonly message: string };

/** What one delimiter makes of the sample. */
interface Candidate {
  readonly delimiter: string;
  readonly recordsAbove: number;
  readonly headerWidth: number;
  /** Header names that are known. */
  readonly knownCount: number;
  /** Cells of each data record. */
  readonly widths: readonly number[];
}

const DELIMITERS: readonly Delimiter[] = [",", ";", "\t", "|"];
const LABELS: Readonly<Record<string, string>> = {
  ",": "comma",
  ";": "semicolon",
  "\t": "tab",
  "|": "pipe",
};
const SAMPLE_RECORDS = 150;
/** How much more regular the better of two delimiters must make the rows. */
const CLEAR_LEAD = 0.2;

/** `comma`, `semicolon`, `tab`, `pipe`, else the character itself. */
export function delimiterLabel(delimiter: string): string {
  return LABELS[delimiter] ?? delimiter;
}

/**
 * Finds the delimiter by reading the sample with each: known header names count most, then rows as wide as the
 * header. It looks at whole records with their quotes, never at how often a character occurs.
 */
export function findDelimiter(sample: Sample, frame: Frame): DelimiterFinding {
  const candidates = DELIMITERS.map((delimiter) => readWith(delimiter, sample, frame));
  const wide = candidates.filter(({ headerWidth }) => headerWidth > 1);
  const [best, second] = wide.toSorted(byMerit);
  if (best === undefined) return fixedWidth(sample, frame) ?? oneColumn(candidates);
  if (second !== undefined && !isClearlyBetter(best, second)) return ambiguous(best, second);
  const other = candidates.find((one) => one !== best && contradicts(one, best));
  if (other !== undefined) return { kind: "problem", message: mixed(best, other) };
  const { delimiter, recordsAbove, headerWidth, knownCount, widths } = best;
  const regular = widths.filter((width) => width === headerWidth).length;
  const reason = `it cuts the header into ${headerWidth} columns, ${knownCount} of them known by name, and ${regular} of the first ${widths.length} records alike`;
  return { kind: "found", delimiter, recordsAbove, reason, warnings: [] };
}

/** Looks for the header of a file whose delimiter is given: how many records stand above it. */
export function findRecordsAbove(delimiter: string, sample: Sample, frame: Frame): number {
  return readWith(delimiter, sample, frame).recordsAbove;
}

function readWith(delimiter: string, sample: Sample, frame: Frame): Candidate {
  const syntax = { delimiter };
  const splitter = createRecordSplitter(syntax, frame.skippedLines);
  const complete = splitter.push(sample.text);
  const records = sample.isWhole ? [...complete, ...splitter.end()] : complete;
  const rows = records.slice(0, SAMPLE_RECORDS).map((raw) => cellsOf(raw, syntax));
  if (frame.columns !== undefined) {
    const headerWidth = rows.some((cells) => cells.length > 1) ? frame.columns.length : 1;
    const widths = rows.map((cells) => cells.length);
    return { delimiter, recordsAbove: 0, headerWidth, knownCount: 0, widths };
  }
  const isKnown = createNameTest(frame.expected);
  const recordsAbove = frame.mayFollowPreamble ? findHeader(rows, isKnown) : 0;
  const header = rows[recordsAbove] ?? [];
  return {
    delimiter,
    recordsAbove,
    headerWidth: header.length,
    knownCount: header.filter(isKnown).length,
    widths: rows.slice(recordsAbove + 1).map((cells) => cells.length),
  };
}

/** Cells as far as they speak for a delimiter: quotes that stand wrong speak against it. */
function cellsOf(raw: RawRecord, syntax: RecordSyntax): readonly string[] {
  if (raw.kind === "loose") return [];
  const record = readCells(raw, syntax);
  return record.kind === "cells" ? record.cells : raw.text.split(syntax.delimiter);
}

/** Share of the records that are as wide as the header, 1 without records. */
function regularity({ headerWidth, widths }: Candidate): number {
  if (widths.length === 0) return 1;
  return widths.filter((width) => width === headerWidth).length / widths.length;
}

function byMerit(left: Candidate, right: Candidate): number {
  return right.knownCount - left.knownCount || regularity(right) - regularity(left);
}

function isClearlyBetter(best: Candidate, second: Candidate): boolean {
  return best.knownCount > second.knownCount || regularity(best) - regularity(second) >= CLEAR_LEAD;
}

/** Whether all rows are cut by another delimiter and none by the header's. */
function contradicts(other: Candidate, best: Candidate): boolean {
  const [width = 1] = other.widths;
  return (
    width > 1 && other.widths.every((one) => one === width) && best.widths.every((one) => one <= 1)
  );
}

/** A first line of known names with runs of blanks between them is not cut by any delimiter. */
function fixedWidth({ text }: Sample, frame: Frame): DelimiterFinding | undefined {
  if (frame.columns !== undefined) return undefined;
  const line = text.split(/[\r\n]+/u).find((one) => one.trim() !== "") ?? "";
  const names = line.trim().split(/ {2,}/u);
  const known = names.filter(createNameTest(frame.expected));
  if (names.length < 2 || known.length < 2) return undefined;
  return {
    kind: "problem",
    message: `The file seems to be text in columns of fixed width (${names.slice(0, 3).join(", ")}); export it as CSV with a delimiter.`,
  };
}

/** One column needs no delimiter: the comma, unless names hold commas and another character does not occur. */
function oneColumn(candidates: readonly Candidate[]): DelimiterFinding {
  const whole = candidates.find(({ widths }) => widths.every((width) => width <= 1));
  const { delimiter, recordsAbove } = whole ?? { delimiter: ",", recordsAbove: 0 };
  const warnings =
    delimiter === "," ? [] : ["The file has one column; commas in it are taken for text."];
  const reason = "the file has one column, so it needs none";
  return { kind: "found", delimiter, recordsAbove, reason, warnings };
}

function ambiguous(best: Candidate, second: Candidate): DelimiterFinding {
  const names = [best, second].map(
    ({ delimiter, headerWidth }) => `${delimiterLabel(delimiter)} (${headerWidth} columns)`,
  );
  return {
    kind: "problem",
    message: `The delimiter may be ${names.join(" or ")}; say which with --delimiter ${delimiterLabel(best.delimiter)} or --delimiter ${delimiterLabel(second.delimiter)}.`,
  };
}

function mixed(best: Candidate, other: Candidate): string {
  return `The header is cut by ${delimiterLabel(best.delimiter)}, the records by ${delimiterLabel(other.delimiter)}. Mend the file, or say with --delimiter which one is right.`;
}
