import { openTextDecoder } from "./decode.ts";

/** Letters that European company names are written with, besides ASCII. */
const LETTERS = "àáâãäåæçèéêëìíîïñòóôõöøùúûüýÿœßąćęłńśźżčďěňřšťůžőűăâîșțğışğ";
const LOWER: ReadonlySet<string> = new Set(LETTERS);
const UPPER: ReadonlySet<string> = new Set(LETTERS.toUpperCase());
/** What else stands between two letters. */
const MARKS: ReadonlySet<string> = new Set("’‘–—·´°®&");

/** Encodings that are told apart by which letters they make inside words. */
const CANDIDATES = ["cp850", "cp437", "macintosh", "windows-1250", "iso-8859-2"];

const FIRST_HIGH = 0x80;
/** More words than these decide nothing more. */
const MAX_SIGNS = 20_000;
/** In a Western text few of the high bytes stand side by side. */
const MAX_PAIRED_SHARE = 0.6;
const MIN_PAIRED = 8;

/** What the bytes above 0x7F say about a text in an encoding of one byte a character. */
export interface EncodingSigns {
  look(line: Uint8Array): void;
  /** Whether they come in rows, as in Cyrillic, Greek, Chinese and Japanese texts. */
  isOtherScript(): boolean;
  /** Encodings that explain the words better than the fallback does, the best first; they explain alike. */
  betterThanFallback(): readonly string[];
}

interface Candidate {
  readonly label: string;
  readonly upper: readonly string[];
  score: number;
}

/** Starts looking at a text that is not UTF-8. */
export function createEncodingSigns(fallback: string): EncodingSigns {
  const candidates = [fallback, ...CANDIDATES].map(openCandidate);
  let signs = 0;
  let highBytes = 0;
  let pairedBytes = 0;

  function lookAt(line: Uint8Array, at: number): void {
    const [before, byte, after] = [byteAt(line, at - 1), byteAt(line, at), byteAt(line, at + 1)];
    highBytes += 1;
    if (Math.max(before, after) >= FIRST_HIGH) pairedBytes += 1;
    if (!isAsciiLetter(before) || !isAsciiLetter(after)) return;
    signs += 1;
    for (const candidate of candidates) {
      const letter = candidate.upper[byte - FIRST_HIGH] ?? "";
      if (fitsBetween(letter, { before, after })) candidate.score += 1;
    }
  }

  return {
    look(line) {
      for (let at = 0; at < line.length && signs < MAX_SIGNS; at += 1) {
        if ((line[at] ?? 0) >= FIRST_HIGH) lookAt(line, at);
      }
    },
    isOtherScript: () => pairedBytes >= MIN_PAIRED && pairedBytes > highBytes * MAX_PAIRED_SHARE,
    betterThanFallback() {
      const best = Math.max(...candidates.map(({ score }) => score));
      const [first] = candidates;
      if (first === undefined || first.score === best) return [];
      return candidates.filter(({ score }) => score === best).map(({ label }) => label);
    },
  };
}

function openCandidate(label: string): Candidate {
  const decoder = openTextDecoder(label);
  const upper = Array.from({ length: 128 }, (_, index) => {
    try {
      return decoder.decode(Uint8Array.of(FIRST_HIGH + index));
    } catch {
      // The encoding has no such character, or it takes more bytes to make one.
      return "";
    }
  });
  return { label, upper, score: 0 };
}

/** Beyond the ends of a line stands nothing that is a letter. */
function byteAt(line: Uint8Array, at: number): number {
  return line[at] ?? 0;
}

function isAsciiLetter(byte: number): boolean {
  return isUpper(byte) || isLower(byte);
}

function isUpper(byte: number): boolean {
  return byte >= 0x41 && byte <= 0x5a;
}

function isLower(byte: number): boolean {
  return byte >= 0x61 && byte <= 0x7a;
}

/** Whether a character may stand between two letters: a small one before a small one, a capital between capitals. */
function fitsBetween(
  letter: string,
  { before, after }: { before: number; after: number },
): boolean {
  if (MARKS.has(letter)) return true;
  if (isLower(after)) return LOWER.has(letter);
  return isUpper(before) && UPPER.has(letter);
}
