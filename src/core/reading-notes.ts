import { ownText } from "./own-text.ts";

/** A line of the file that is no row; nothing of the file is left out without one. */
export interface SkippedLine {
  /** 1-based physical line. */
  readonly line: number;
  readonly why: string;
  /** At most 200 characters of it. */
  readonly text: string;
}

/** What one pass over a file notices, in bounded memory. */
export interface ReadingNotes {
  /** The line that `add` speaks of. */
  line: number;
  /** Notes something about the current line; the same words are counted together. */
  add(what: string): void;
  skip(line: number, why: string, text: string): void;
  /** One sentence for each thing noticed, with how often and where first. */
  warnings(): readonly string[];
  skipped(): readonly SkippedLine[];
}

const SHOWN_LINES = 5;
const SKIPPED_TEXT = 200;
/** More lines than these are only counted. */
const MAX_SKIPPED = 10_000;

interface Note {
  count: number;
  /** The first of the lines, each once. */
  readonly lines: number[];
  hasMore: boolean;
}

/** Starts the notes of one pass. */
export function createReadingNotes(): ReadingNotes {
  const found = new Map<string, Note>();
  const skipped: SkippedLine[] = [];
  return {
    line: 0,
    add(what) {
      let note = found.get(what);
      if (note === undefined) {
        note = { count: 0, lines: [], hasMore: false };
        found.set(what, note);
      }
      note.count += 1;
      const isShown = note.lines.at(-1) === this.line;
      if (!isShown && note.lines.length < SHOWN_LINES) note.lines.push(this.line);
      note.hasMore ||= note.lines.at(-1) !== this.line;
    },
    skip(line, why, text) {
      if (skipped.length < MAX_SKIPPED) {
        skipped.push({ line, why, text: ownText(text.slice(0, SKIPPED_TEXT)) });
        return;
      }
      this.line = line;
      this.add("Left out, and not listed any more");
    },
    warnings: () => [...found].map(([what, note]) => sentence(what, note)),
    skipped: () => skipped,
  };
}

function sentence(what: string, { count, lines, hasMore }: Note): string {
  const more = hasMore ? " and others" : "";
  return count === 1
    ? `${what}: line ${lines.join(", ")}.`
    : `${what}: ${count} times, line ${lines.join(", ")}${more}.`;
}
