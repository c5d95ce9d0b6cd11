import { type AliasRole, HEADER_ALIASES } from "./header-aliases.ts";
import type { PartnerField } from "./partner.ts";

/** One field that a header may stand for. */
export interface AliasMatch {
  readonly field: PartnerField;
  readonly role: AliasRole;
  /** Place in the alias list: orders the pieces of a joined field (`NAME2`, `NAME3`). */
  readonly rank: number;
}

/** Letters that Unicode does not split into a base letter and an accent. */
const PLAIN_LETTERS = [
  ["ß", "ss"],
  ["ø", "o"],
  ["ł", "l"],
  ["đ", "d"],
  ["æ", "ae"],
  ["œ", "oe"],
  ["ı", "i"],
] as const;

/** Words that turn a known name into somebody else's: `Contact name`, `Bank country`. */
const FOREIGN_WORDS: ReadonlySet<string> = new Set(
  `account bank birth category class contact currency date email file first group last parent payee person phone
   previous product status type user ansprechpartner bankkonto kontakt kontaktperson nachname vorname
   contacto contatto persona banque banca banco`.split(/\s+/u),
);

/** Words that make a partner's key or class of `Company code`, never its name. */
const KEY_WORDS: ReadonlySet<string> = new Set("code id key no nr number nummer num".split(" "));

/** Shorter aliases (`no`, `site`, `via`) are too common as a part of other headers. */
const MIN_PART_LENGTH = 4;

/** A longer header is a sentence about something else. */
const MAX_HEADER_WORDS = 4;

function plainWords(header: string): string[] {
  // "companyName" is two words.
  const spaced = header.replaceAll(/(?<=\p{Ll})(?=\p{Lu})/gu, " ");
  const lower = spaced.normalize("NFKC").toLowerCase().normalize("NFD");
  let plain = lower.replaceAll(/[\p{M}\p{Cf}]/gu, "");
  for (const [letter, letters] of PLAIN_LETTERS) plain = plain.replaceAll(letter, letters);
  return plain.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "");
}

/** A header name reduced to what is compared: lower-case letters without accents, and digits. */
export function foldHeader(header: string): string {
  return plainWords(header).join("");
}

function buildIndex(): ReadonlyMap<string, readonly AliasMatch[]> {
  const index = new Map<string, AliasMatch[]>();
  for (const { field, role, names } of HEADER_ALIASES) {
    for (const [rank, name] of names.entries()) {
      const folded = foldHeader(name);
      const matches = index.get(folded) ?? [];
      const isNew = matches.every((match) => match.field !== field);
      index.set(folded, isNew ? [...matches, { field, role, rank }] : matches);
    }
  }
  return index;
}

const INDEX = buildIndex();

function isForeign(header: string): boolean {
  return plainWords(header).some((word) => FOREIGN_WORDS.has(word));
}

/** The part after a table prefix: `LFA1-NAME1`, `KNA1~ORT01`, `billing.city`; empty without one. */
function afterPrefix(header: string): string {
  const match = /^(?:[A-Z][A-Z0-9_]*[-~]|[^\s]*\.)(?<tail>[^\s.~-]+)$/u.exec(header.trim());
  return match?.groups?.["tail"] ?? "";
}

/**
 * The fields that a header names exactly: the whole name, else what follows a table prefix.
 * Empty when it names none, several when only the other headers can tell.
 */
export function matchHeader(header: string): readonly AliasMatch[] {
  const whole = INDEX.get(foldHeader(header));
  if (whole !== undefined) return whole;
  const tail = foldHeader(afterPrefix(header));
  return tail.length < MIN_PART_LENGTH || isForeign(header) ? [] : (INDEX.get(tail) ?? []);
}

/** Runs of up to four neighbouring words, longest first. */
function wordRuns(words: readonly string[]): string[] {
  const runs = words.flatMap((_, start) =>
    [1, 2, 3, 4]
      .filter((length) => start + length <= words.length)
      .map((length) => words.slice(start, start + length).join("")),
  );
  return runs.toSorted((left, right) => right.length - left.length);
}

/**
 * The one field that a header names among other words (`Supplier country`), `undefined` when none or several.
 * The longest alias decides; parts of words never count (`Landkreis` holds no `Land`).
 */
export function matchHeaderWords(header: string): AliasMatch | undefined {
  const words = plainWords(header);
  if (isForeign(header) || words.length > MAX_HEADER_WORDS) return undefined;
  const found = wordRuns(words)
    .filter((run) => run.length >= MIN_PART_LENGTH && !KEY_WORDS.has(run))
    .flatMap((run) => {
      const matches = INDEX.get(run) ?? [];
      const [match] = matches;
      return match === undefined || matches.length > 1 ? [] : [{ match, length: run.length }];
    });
  const longest = found.filter((hit) => hit.length === found[0]?.length).map((hit) => hit.match);
  const [best] = longest;
  if (best === undefined || longest.some((match) => match.field !== best.field)) return undefined;
  const isKey = best.field === "name" && words.some((word) => KEY_WORDS.has(word));
  return isKey ? undefined : best;
}
