import type { ReadingNotes } from "./reading-notes.ts";

/** Soft hyphens, zero-width characters and direction marks: never part of a name in any script. */
const INVISIBLE = /[\u00AD\u061C\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/gu;
/** Joiners are letters' business in Indic and Arabic script, and nowhere else. */
const JOINERS = /(?<=^|[\p{Script=Latin}\p{N}\p{P}\p{Z}\p{Cc}])[\u200C\u200D]+/gu;
/** Control characters other than blanks and line breaks. */
const CONTROLS = /[^\P{Cc}\t\n\v\f\r\u0085]/u;
const BLANKS = /[\p{Cc}\p{Z}]+/gu;

const BLANK = 0x20;
const APOSTROPHE = 0x27;
const EQUALS = 0x3d;
const TILDE = 0x7e;
const FIRST_LATIN = 0xa1;
const SOFT_HYPHEN = 0xad;
const LAST_LATIN = 0x2ff;

/**
 * A cell as it is matched and sent: one line without blanks around it, composed letters (NFC), every run of blanks,
 * line breaks and control characters a single blank, without invisible characters. `="00123"` and `'00123` become
 * `00123`. The outputs hold the cell as it was.
 */
export function cleanCell(cell: string, notes: ReadingNotes): string {
  return isClean(cell) ? cell : cleaned(cell, notes);
}

/** Whether there is nothing to do: nearly every cell is plain text. */
function isClean(cell: string): boolean {
  const { length } = cell;
  if (length === 0) return true;
  const first = cell.charCodeAt(0);
  if (first === BLANK || first === APOSTROPHE || first === EQUALS) return false;
  let before = BLANK;
  for (let at = 0; at < length; at += 1) {
    const code = cell.charCodeAt(at);
    if (code === BLANK ? before === BLANK : !isPlain(code)) return false;
    before = code;
  }
  return before !== BLANK;
}

/** Printable ASCII, and the Latin letters that composing leaves alone. */
function isPlain(code: number): boolean {
  if (code <= TILDE) return code > BLANK;
  return code >= FIRST_LATIN && code <= LAST_LATIN && code !== SOFT_HYPHEN;
}

function cleaned(cell: string, notes: ReadingNotes): string {
  if (CONTROLS.test(cell)) notes.add("Control characters in a cell are not sent");
  let text = cell.replaceAll(INVISIBLE, "").replaceAll(JOINERS, "");
  if (text.length < cell.length) notes.add("Invisible characters in a cell are not sent");
  text = text.normalize("NFC").replaceAll(BLANKS, " ").trim();
  return unwrapped(text, cell, notes);
}

function unwrapped(text: string, cell: string, notes: ReadingNotes): string {
  const formula = /^="(?<inner>.*)"$/u.exec(text)?.groups?.["inner"];
  if (formula !== undefined) {
    notes.add('A cell written as ="…" is taken for the text in it');
    return formula.replaceAll('""', '"').trim();
  }
  if (/^'\d+$/u.test(text)) {
    notes.add("An apostrophe before digits is left out");
    return text.slice(1);
  }
  // Behind a blank a quote does not open a cell (RFC 4180), though its writer meant it to.
  const quoted = /^\s+"(?<inner>[^"]*)"\s*$/u.exec(cell)?.groups?.["inner"];
  return quoted === undefined ? text : text.slice(1, -1).trim();
}
