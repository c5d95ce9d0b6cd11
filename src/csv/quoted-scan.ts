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
  const { text, start } = input;
  const cells: string[] = [];
  let isLoose = false;
  let lineEnd = -1;
  let at = start;
  while (at - start <= MAX_RECORD_LENGTH) {
    // Looked for once a line, not once a cell.
    if (lineEnd < at) lineEnd = findNewline(input, at);
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

/** The next line break, infinite when there is none. */
function findNewline({ text, syntax }: ScanInput, from: number): number {
  const index = text.indexOf(syntax.newline, from);
  return index === -1 ? Infinity : index;
}

function readPlainCell(input: ScanInput, from: number, lineEnd: number): CellEnd {
  const { text, syntax, isLast } = input;
  // Only this line is searched: in a file of one column the next delimiter may be far away.
  const line = text.slice(from, lineEnd);
  const length = line.indexOf(syntax.delimiter);
  if (length !== -1) return { kind: "delimiter", at: from + length, cell: line.slice(0, length) };
  if (lineEnd === Infinity && !isLast) return OPEN;
  const cell = syntax.newline === "\n" && line.endsWith("\r") ? line.slice(0, -1) : line;
  return { kind: "record", at: from + line.length, cell };
}

function readQuotedCell(input: ScanInput, from: number): CellEnd {
  const { text, syntax, isLast } = input;
  const quote = closingQuote(text, from + 1);
  if (quote === -1) return isLast ? LOST : OPEN;
  const at = quote + 1;
  if (!isLast && isUndecided(text, at)) return OPEN;
  const content = text.slice(from + 1, quote);
  const cell = content.includes('"') ? content.replaceAll('""', '"') : content;
  if (text[at] === syntax.delimiter) return { kind: "delimiter", at, cell };
  const end = recordEnd(input, at);
  if (end !== undefined) return { kind: "record", at: end, cell };
  return content.includes(syntax.newline) ? LOST : { kind: "text", at };
}

/** Behind the last quote that is there its twin may still come, and behind a CR its LF. */
function isUndecided(text: string, at: number): boolean {
  return at >= text.length || (at + 1 === text.length && text[at] === "\r");
}

/** The first quote that is not doubled, -1 when there is none. */
function closingQuote(text: string, from: number): number {
  let quote = text.indexOf('"', from);
  while (quote !== -1 && text[quote + 1] === '"') quote = text.indexOf('"', quote + 2);
  return quote;
}

/** The place of the line break at `at`, behind its CR if it has one; `undefined` when there is none. */
function recordEnd({ text, syntax: { newline } }: ScanInput, at: number): number | undefined {
  const end = newline === "\n" && text[at] === "\r" ? at + 1 : at;
  return end >= text.length || text[end] === newline ? end : undefined;
}
