/** How quotes may stand that RFC 4180 does not know. */
type QuoteManner = "outside-blanks" | "backslash";

const MANNERS: readonly QuoteManner[] = ["outside-blanks", "backslash"];

/** A record read in another manner, with words for what was unusual. */
export interface LenientRecord {
  readonly cells: readonly string[];
  readonly what: string;
}

const WORDS: Readonly<Record<QuoteManner, string>> = {
  "outside-blanks": 'Quotes stand behind a blank or an equals sign (such as , "6,000" or ="a,b")',
  backslash: String.raw`Quotes are escaped by a backslash (\")`,
};

/**
 * Reads a record anew whose cells do not fit the header: with blanks or `=` before an opening quote, or with `\"` for
 * a quote in a cell. `undefined` unless that makes it exactly as wide as it should be.
 */
export function readLeniently(
  text: string,
  delimiter: string,
  width: number,
): LenientRecord | undefined {
  if (!text.includes('"')) return undefined;
  for (const manner of MANNERS) {
    const cells = readInManner(text, delimiter, manner);
    if (cells?.length === width) return { cells, what: WORDS[manner] };
  }
  return undefined;
}

function readInManner(
  text: string,
  delimiter: string,
  manner: QuoteManner,
): readonly string[] | undefined {
  const cells: string[] = [];
  let at = 0;
  for (;;) {
    const quote = openingQuote(text, at, delimiter);
    const found =
      quote === undefined ? plainCell(text, at, delimiter) : quotedCell(text, quote, manner);
    if (found === undefined) return undefined;
    cells.push(found.cell);
    const end = skipBlanks(text, found.end, delimiter);
    if (end >= text.length) return cells;
    if (text[end] !== delimiter) return undefined;
    at = end + 1;
  }
}

interface FoundCell {
  readonly cell: string;
  readonly end: number;
}

/** Where the quote stands that opens the cell at `at`, if any. */
function openingQuote(text: string, at: number, delimiter: string): number | undefined {
  const start = skipBlanks(text, at, delimiter);
  if (text[start] === '"') return start;
  return text[start] === "=" && text[start + 1] === '"' ? start + 1 : undefined;
}

function skipBlanks(text: string, from: number, delimiter: string): number {
  let at = from;
  while (text[at] !== delimiter && (text[at] === " " || text[at] === "\t")) at += 1;
  return at;
}

function plainCell(text: string, at: number, delimiter: string): FoundCell {
  const index = text.indexOf(delimiter, at);
  const end = index === -1 ? text.length : index;
  return { cell: text.slice(at, end), end };
}

function quotedCell(text: string, quote: number, manner: QuoteManner): FoundCell | undefined {
  let cell = "";
  for (let at = quote + 1; at < text.length; at += 1) {
    const [character, next] = [text[at] ?? "", text[at + 1]];
    const isEscape =
      (character === '"' && next === '"') || (manner === "backslash" && character === "\\");
    if (isEscape) {
      cell += next ?? "";
      at += 1;
    } else if (character === '"') {
      return { cell, end: at + 1 };
    } else {
      cell += character;
    }
  }
  return undefined;
}
