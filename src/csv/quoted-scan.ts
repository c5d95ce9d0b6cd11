import type { LineBreaks } from "./line-breaks.ts";
import { MAX_RECORD_LENGTH, type RecordSyntax } from "./record-syntax.ts";

/** What a record with quotes is; `end` is where its line break begins. */
export type QuotedScan =
  /** As RFC 4180 has it. */
  | { readonly kind: "cells"; readonly end: number; readonly cells: readonly string[] }
  /** Text stands behind a closing quote: a quote is missing or one too many. */
  | { readonly kind: "loose"; readonly end: number }
  /** A quote is opened and does not close as it should. */
  | { readonly kind: "lost" }
  /** More text is needed to tell. */
  | { readonly kind: "open" };

/** The text that is there, where the record begins in it, and whether more may come. */
export interface ScanInput {
  readonly syntax: RecordSyntax;
  readonly text: string;
  readonly start: number;
  readonly isLast: boolean;
  readonly breaks: LineBreaks;
}

/** How a cell ends. */
type CellEnd =
  | { readonly kind: "delimiter" | "record"; readonly at: number; readonly cell: string }
  /** More text follows its closing quote. */
  | { readonly kind: "text"; readonly at: number }
  | { readonly kind: "lost" }
  | { readonly kind: "open" };

const OPEN = { kind: "open" } as const;
const LOST = { kind: "lost" } as const;

/**
 * Reads a record in which quotes occur. A quote opens only at the start of a cell (RFC 4180 §2.5); one in the middle
 * is text, and so is what follows a closing quote on the same line. When it follows on a later line, the opening quote
 * has lost its twin: the one that seems to close opens the next cell.
 */
export function scanQuotedRecord(input: ScanInput): QuotedScan {
  const { text, start, breaks } = input;
  const cells: string[] = [];
  let isLoose = false;
  let lineEnd = -1;
  let at = start;
  while (at - start <= MAX_RECORD_LENGTH) {
    // Looked for once a line, not once a cell.
    if (lineEnd < at) lineEnd = breaks.next(at);
    let end = text[at] === '"' ? readQuotedCell(input, at) : readPlainCell(input, at, lineEnd);
    if (end.kind === "text") {
      isLoose = true;
      end = readPlainCell(input, end.at, lineEnd);
    }
    if (end.kind !== "delimiter" && end.kind !== "record") return unfinished(input, end);
    cells.push(end.cell);
    if (end.kind === "record") return finished(input, end.at, isLoose ? undefined : cells);
    at = end.at + 1;
  }
  return LOST;
}

/** A record that is too long is taken for one that lost a quote, wherever the text happens to be cut. */
function finished({ start }: ScanInput, end: number, cells: string[] | undefined): QuotedScan {
  if (end - start > MAX_RECORD_LENGTH) return LOST;
  return cells === undefined ? { kind: "loose", end } : { kind: "cells", end, cells };
}

function unfinished({ text, start }: ScanInput, { kind }: CellEnd): QuotedScan {
  return kind === "open" && text.length - start <= MAX_RECORD_LENGTH ? OPEN : LOST;
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
  if (quote === -1) return isLast ? LOST : OPEN;
  const at = quote + 1;
  // Behind the last quote that is there its twin may still come, and behind a CR its LF.
  if (!isLast && (at >= text.length || breaks.isOpen(at))) return OPEN;
  const content = text.slice(from + 1, quote);
  const cell = undoubled(content);
  if (text[at] === syntax.delimiter) return { kind: "delimiter", at, cell };
  if (at >= text.length || isLineBreak(text[at])) return { kind: "record", at, cell };
  return /[\r\n]/u.test(content) ? LOST : { kind: "text", at };
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
