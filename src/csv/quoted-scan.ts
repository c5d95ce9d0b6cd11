import type { LineBreaks } from "./line-breaks.ts";
import { MAX_RECORD_LENGTH, type RecordSyntax } from "./record-syntax.ts";

/** What a record with quotes is; `end` is where its line break begins. */
export type QuotedScan =
  /** As RFC 4180 has it. */
  | { readonly kind: "cells"; readonly end: number; readonly cells: readonly string[] }
  /** Text stands behind a closing quote: a quote is missing or one too many. */
  | { readonly kind: "loose"; readonly end: number }
  /**
   * A quote is opened and does not close as it should. Whichever record comes to one of the cells that begin at
   * `overLines` is read on as this one was, and is lost too.
   */
  | { readonly kind: "lost"; readonly overLines: readonly number[] }
  /** More text is needed to tell. */
  | { readonly kind: "open" };

/** The text that is there, where the record begins in it, and whether more may come. */
export interface ScanInput {
  readonly syntax: RecordSyntax;
  readonly text: string;
  readonly start: number;
  readonly isLast: boolean;
  readonly breaks: LineBreaks;
  /** Whether a cell that begins there is known to be part of a lost record. */
  readonly isLost: (at: number) => boolean;
}

/** How a cell ends. */
type CellEnd =
  | { readonly kind: "delimiter" | "record"; readonly at: number; readonly cell: string }
  /** More text follows its closing quote. */
  | { readonly kind: "text"; readonly at: number }
  | { readonly kind: "lost" }
  | { readonly kind: "open" };

const OPEN = { kind: "open" } as const;
const LOST_CELL = { kind: "lost" } as const;

/**
 * Reads a record in which quotes occur. A quote opens only at the start of a cell (RFC 4180 §2.5); one in the middle
 * is text, and so is what follows a closing quote on the same line. When it follows on a later line, the opening quote
 * has lost its twin: the one that seems to close opens the next cell.
 */
export function scanQuotedRecord(input: ScanInput): QuotedScan {
  const { text, start, breaks, isLost } = input;
  const cells: string[] = [];
  const overLines: number[] = [];
  let isLoose = false;
  let lineEnd = -1;
  let at = start;
  while (at - start <= MAX_RECORD_LENGTH && !isLost(at)) {
    // Looked for once a line, not once a cell.
    if (lineEnd < at) lineEnd = breaks.next(at);
    const first = text[at] === '"' ? readQuotedCell(input, at) : readPlainCell(input, at, lineEnd);
    if (text[at] === '"' && isOverLines(input, first, lineEnd)) overLines.push(at);
    isLoose ||= first.kind === "text";
    const end = first.kind === "text" ? readPlainCell(input, first.at, lineEnd) : first;
    if (end.kind !== "delimiter") return ended(input, end, { cells, overLines, isLoose });
    cells.push(end.cell);
    at = end.at + 1;
  }
  return { kind: "lost", overLines };
}

interface Reading {
  readonly cells: string[];
  readonly overLines: readonly number[];
  readonly isLoose: boolean;
}

/** A record that is too long is taken for one that lost a quote, wherever the text happens to be cut. */
function ended(
  { text, start }: ScanInput,
  last: CellEnd,
  { cells, overLines, isLoose }: Reading,
): QuotedScan {
  const end = last.kind === "record" ? last.at : text.length;
  const isTooLong = end - start > MAX_RECORD_LENGTH;
  if (last.kind === "open" && !isTooLong) return OPEN;
  if (last.kind !== "record" || isTooLong) return { kind: "lost", overLines };
  if (isLoose) return { kind: "loose", end };
  cells.push(last.cell);
  return { kind: "cells", end, cells };
}

/** Whether the cell goes on behind its line. Text that is surely there tells, so that it is the same for all chunks. */
function isOverLines({ start }: ScanInput, end: CellEnd, lineEnd: number): boolean {
  if (lineEnd - start > MAX_RECORD_LENGTH) return false;
  return end.kind === "lost" || end.kind === "open" || end.at > lineEnd;
}

function readPlainCell(input: ScanInput, from: number, lineEnd: number): CellEnd {
  const { text, syntax, isLast, breaks } = input;
  // Only this line is searched: in a file of one column the next delimiter may be far away.
  const line = text.slice(from, lineEnd);
  const length = line.indexOf(syntax.delimiter);
  if (length !== -1) return { kind: "delimiter", at: from + length, cell: line.slice(0, length) };
  if ((lineEnd === Infinity && !isLast) || breaks.isOpen(lineEnd)) return OPEN;
  return { kind: "record", at: from + line.length, cell: line };
}

function readQuotedCell(input: ScanInput, from: number): CellEnd {
  const { text, syntax, isLast, breaks } = input;
  const quote = closingQuote(text, from + 1);
  if (quote === -1) return isLast ? LOST_CELL : OPEN;
  const at = quote + 1;
  // Behind the last quote that is there its twin may still come, and behind a CR its LF.
  if (!isLast && (at >= text.length || breaks.isOpen(at))) return OPEN;
  const content = text.slice(from + 1, quote);
  const cell = undoubled(content);
  if (text[at] === syntax.delimiter) return { kind: "delimiter", at, cell };
  if (at >= text.length || isLineBreak(text[at])) return { kind: "record", at, cell };
  return /[\r\n]/u.test(content) ? LOST_CELL : { kind: "text", at };
}

function undoubled(content: string): string {
  return content.includes('"') ? content.replaceAll('""', '"') : content;
}

function isLineBreak(character: string | undefined): boolean {
  return character === "\n" || character === "\r";
}

/** The first quote that is not doubled, -1 when there is none. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}
