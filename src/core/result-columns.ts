import { resolvePointer } from "./json-pointer.ts";

/** Where the cells of a configured column come from. */
export type ColumnSource =
  /** The tokens of a JSON pointer into the answer's data. */
  | { readonly kind: "pointer"; readonly tokens: readonly string[] }
  /** A named group of a regular expression (flag `u`) over the answer's text. */
  | { readonly kind: "group"; readonly pattern: string; readonly group: string };

/** One of `results.columns`. */
export interface ResultColumn {
  readonly name: string;
  readonly source: ColumnSource;
}

/** Flags of every pattern: letters of all scripts, and no leniency towards wrong escapes. */
export const PATTERN_FLAGS = "u";

/** The names of a pattern's groups, or why it is no regular expression. */
export function groupsOf(pattern: string): readonly string[] | { readonly problem: string } {
  try {
    // Beside an empty alternative every text matches, and all groups are there without a value.
    const match = new RegExp(`${pattern}|`, PATTERN_FLAGS).exec("");
    return Object.keys(match?.groups ?? {});
  } catch (error) {
    return { problem: String(error).replace(/^SyntaxError: /, "") };
  }
}

/** The cell that a pointer finds in the data parts: in the first of them that has something there. */
export function pointerCell(data: readonly unknown[], tokens: readonly string[]): string {
  for (const part of data) {
    const value = resolvePointer(part, tokens);
    if (value !== undefined) return cellOf(value);
  }
  return "";
}

/** Text as it is, null as an empty cell, lists and objects as JSON. */
function cellOf(value: unknown): string {
  if (value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

const LEGAL_FORM = "(?:[A-Z]\\.){2,}|S\\.p\\.A\\.|a\\.s\\.|s\\.r\\.o\\.|Inc\\.?|Ltd\\.?|LLC|SGPS";
const WITH_DIGIT = "(?=[A-Z-]{0,9}\\d)[A-Z\\d-]{1,10}";
const POSTAL_CODE = `\\d{4} [A-Z]{2}(?= [^,]+, NL)|[A-Z]{3} \\d{4}|${WITH_DIGIT}(?: ${WITH_DIGIT})?`;
const END = "(?<country>[A-Z]{2})\\.?\\s*$";

/**
 * `Name, Street 1, 12345 City, CC.`, CDQ's one line. A comma more could belong to the name or to the street, so
 * that only a legal form behind one is taken for a part of the name.
 */
const NAME_AND_STREET = `^(?<name>[^,]+(?:, (?:${LEGAL_FORM}))*), (?<street>[^,]+), (?:${POSTAL_CODE}) [^,\\d][^,]*, ${END}`;

/** The end of the line, which is clear whatever stands before it. */
const PLACE = `^.+, (?<postalCode>${POSTAL_CODE}) (?<city>[^,\\d][^,]*), ${END}`;

/** `results.columns` unless it is set. */
export const DEFAULT_COLUMNS = {
  cdq_name: { pattern: NAME_AND_STREET, group: "name" },
  cdq_street: { pattern: NAME_AND_STREET, group: "street" },
  cdq_postal_code: { pattern: PLACE, group: "postalCode" },
  cdq_city: { pattern: PLACE, group: "city" },
  cdq_country: { pattern: PLACE, group: "country" },
} as const;
