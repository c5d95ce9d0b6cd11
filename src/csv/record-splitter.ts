import { countLineBreaks, LineBreaks } from "./line-breaks.ts";
import { type QuotedScan, scanQuotedRecord } from "./quoted-scan.ts";
import { MAX_RECORD_LENGTH, type RecordSyntax } from "./record-syntax.ts";

interface RecordPlace {
  /** 1-based physical line where the record begins. */
  readonly line: number;
  /** Without its line break. */
  readonly text: string;
}

export type RawRecord =
  /** Without any quote. */
  | (RecordPlace & { readonly kind: "plain" })
  /** With quotes as they should be (RFC 4180). */
  | (RecordPlace & { readonly kind: "quoted"; readonly cells: readonly string[] })
  /** With text behind a closing quote: to be trusted only if its width is right. */
  | (RecordPlace & { readonly kind: "loose" })
  /** Cannot be read; `text` is its first line, at most `MAX_RECORD_LENGTH` of it. */
  | (RecordPlace & { readonly kind: "broken"; readonly why: string });

export interface RecordSplitter {
  /** The records that are complete with this text. Blank lines give none. */
  push(text: string): RawRecord[];
  /** The last record, when the file does not end with a line break. */
  end(): RawRecord[];
}

type QuotedRecord = Extract<QuotedScan, { kind: "cells" | "loose" }>;

const LOST_QUOTE = "A quote is opened and never closed.";
const TOO_LONG = `The record has more than ${MAX_RECORD_LENGTH} characters.`;

/**
 * Cuts decoded text into records, the same ones whatever chunks it comes in. A quote that is never closed costs the
 * line on which its record begins and nothing more: reading goes on behind that line.
 * @param skippedLines physical lines before the first record
 */
export function createRecordSplitter(syntax: RecordSyntax, skippedLines = 0): RecordSplitter {
  const splitter = new Splitter(syntax, skippedLines);
  return { push: (text) => splitter.take(text, false), end: () => splitter.take("", true) };
}

class Splitter {
  private readonly syntax: RecordSyntax;
  private linesToDrop: number;
  private records: RawRecord[] = [];
  private text = "";
  private breaks = new LineBreaks("", false);
  private isLast = false;
  private position = 0;
  /** Characters before `text`. */
  private offset = 0;
  /** Where cells of lost records begin that go on behind their line: without them each such line is read in vain to the end. */
  private readonly lostCells = new Set<number>();
  private line = 1;
  /** The first quote that was found at or behind `position`; infinite when there is none. */
  private quoteAt = -1;

  constructor(syntax: RecordSyntax, skippedLines: number) {
    this.syntax = syntax;
    this.linesToDrop = skippedLines;
  }

  take(text: string, isLast: boolean): RawRecord[] {
    this.offset += this.position;
    this.forgetLostCells();
    this.text = this.text.slice(this.position) + text;
    this.isLast = isLast;
    this.breaks = new LineBreaks(this.text, isLast);
    this.position = 0;
    this.quoteAt = -1;
    this.records = [];
    let isMore = true;
    while (isMore && this.position < this.text.length) isMore = this.takeNext();
    return this.records;
  }

  /** Takes a line or a record; false when more text is needed for it. */
  private takeNext(): boolean {
    const lineEnd = this.breaks.next(this.position);
    if (this.linesToDrop > 0) return this.dropLine(lineEnd);
    if (this.quoteAt < this.position) this.quoteAt = this.findQuote();
    if (this.quoteAt >= Math.min(lineEnd, this.text.length)) return this.takePlain(lineEnd);
    const { syntax, text, position: start, isLast, breaks, isLost } = this;
    const scan = scanQuotedRecord({ syntax, text, start, isLast, breaks, isLost });
    switch (scan.kind) {
      case "cells":
      case "loose":
        return this.takeQuoted(scan, lineEnd);
      case "lost":
        for (const at of scan.overLines) this.lostCells.add(this.offset + at);
        return this.takeBroken(lineEnd, LOST_QUOTE);
      case "open":
        return false;
    }
  }

  private readonly isLost = (at: number): boolean =>
    this.lostCells.size > 0 && this.lostCells.has(this.offset + at);

  private forgetLostCells(): void {
    for (const at of this.lostCells) {
      if (at >= this.offset) return;
      this.lostCells.delete(at);
    }
  }

  private takeQuoted(scan: QuotedRecord, lineEnd: number): boolean {
    const { line } = this;
    const { end } = scan;
    const text = this.text.slice(this.position, end);
    this.records.push(
      scan.kind === "loose"
        ? { kind: "loose", line, text }
        : { kind: "quoted", line, text, cells: scan.cells },
    );
    this.line += end <= lineEnd ? 1 : countLineBreaks(text) + 1;
    this.position = this.breaks.behind(end);
    return true;
  }

  private takePlain(lineEnd: number): boolean {
    const end = Math.min(lineEnd, this.text.length);
    if (end - this.position > MAX_RECORD_LENGTH) return this.takeBroken(lineEnd, TOO_LONG);
    if (this.isUnfinished(lineEnd)) return false;
    const text = this.text.slice(this.position, end);
    const isBlank = text.trim() === "" && !text.includes(this.syntax.delimiter);
    if (!isBlank) this.records.push({ kind: "plain", line: this.line, text });
    this.line += 1;
    this.position = this.breaks.behind(end);
    return true;
  }

  /** Whether the line or its break may go on with the next text. */
  private isUnfinished(lineEnd: number): boolean {
    return (lineEnd === Infinity && !this.isLast) || this.breaks.isOpen(lineEnd);
  }

  /** Gives up the line at `position`. */
  private takeBroken(lineEnd: number, why: string): boolean {
    const end = Math.min(lineEnd, this.position + MAX_RECORD_LENGTH);
    // A pair of surrogates that is cut in two could not be written as UTF-8.
    const text = this.text.slice(this.position, end).replace(/[\uD800-\uDBFF]$/, "");
    this.records.push({ kind: "broken", line: this.line, text, why });
    this.linesToDrop = 1;
    return this.dropLine(lineEnd);
  }

  /** Passes over a line, of which the end may come later. */
  private dropLine(lineEnd: number): boolean {
    const isOpen = this.breaks.isOpen(lineEnd);
    this.position = isOpen ? lineEnd : Math.min(this.breaks.behind(lineEnd), this.text.length);
    if (isOpen || lineEnd === Infinity) return false;
    this.linesToDrop -= 1;
    this.line += 1;
    return true;
  }

  private findQuote(): number {
    const index = this.text.indexOf('"', this.position);
    return index === -1 ? Infinity : index;
  }
}
