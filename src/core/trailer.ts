import { foldHeader } from "./header-aliases-match.ts";

/** A line that ends a file and is no partner. */
export interface Trailer {
  /** How many records the file says it has; `undefined` when it does not. */
  readonly recordCount: number | undefined;
}

const TOTAL_WORDS: ReadonlySet<string> = new Set(
  `total totals totale totali totales totaux totaal grand subtotal summe gesamt gesamtsumme gesamtanzahl endsumme
   zwischensumme suma sumas somma somme soma razem ogolem`.split(/\s+/u),
);

/** Words that say what is counted. */
const RECORD_WORDS: ReadonlySet<string> = new Set(
  `records record rows row lines entries vendors suppliers partners anzahl zeilen datensatze satze lieferanten
   kreditoren lignes enregistrements fournisseurs filas registros proveedores righe fornitori wierszy rekordow linhas
   regels count number`.split(/\s+/u),
);

const OTHER_WORDS: ReadonlySet<string> = new Set(
  "total general generale geral of de da di der die das des the and in amount betrag montant importe eur usd gbp chf".split(
    " ",
  ),
);

/** Whole cells that mark an end, some with a count in them. */
const MARKS: readonly RegExp[] = [
  /^\W*(?:end of (?:file|report|list|data)|ende der (?:liste|datei)|fin (?:de|du) (?:fichier|archivo|liste)|eof|trailer|trl)\W*$/iu,
  /^fin(?<count>\d+)$/iu,
  /^file creation time\b/iu,
  /^\(?(?<count>\d+) (?:rows?|records?)(?: (?:affected|selected|fetched|returned))?\.?\)?$/iu,
  /^\W*(?:(?:record|row|line)s? count|(?:number|no\.?) of (?:records|rows|lines)|anzahl (?:der )?(?:datensätze|sätze|zeilen)|nombre (?:de lignes|d['’]enregistrements))\W*(?:(?<count>\d+)\W*)?$/iu,
];

/**
 * What a record is that has no country and begins with a total word or a known mark, for example `Total;3` or
 * `***END OF FILE***`; `undefined` when it may be a partner: text beside a total word is one.
 */
export function readTrailer(cells: readonly string[]): Trailer | undefined {
  const [first = "", ...others] = cells.map((cell) => cell.trim()).filter((cell) => cell !== "");
  return readMark(first, others) ?? readTotal(first, others);
}

function readMark(first: string, others: readonly string[]): Trailer | undefined {
  for (const mark of MARKS) {
    const found = mark.exec(first);
    if (found === null) continue;
    return { recordCount: wholeNumber(found.groups?.["count"]) ?? onlyNumber(others) };
  }
  return undefined;
}

function readTotal(first: string, others: readonly string[]): Trailer | undefined {
  const words = wordsOf(first);
  const [word] = words;
  if (word === undefined || !TOTAL_WORDS.has(word)) return undefined;
  if (!words.every(isTrailerWord) || !others.every(isNumber)) return undefined;
  const countsRecords = words.some((one) => RECORD_WORDS.has(one));
  if (!countsRecords) return { recordCount: undefined };
  return { recordCount: wholeNumber(/\d+/u.exec(first)?.[0]) ?? onlyNumber(others) };
}

function wordsOf(text: string): string[] {
  return text
    .split(/[^\p{L}\p{M}]+/u)
    .filter((word) => word !== "")
    .map(foldHeader);
}

function isTrailerWord(word: string): boolean {
  return TOTAL_WORDS.has(word) || RECORD_WORDS.has(word) || OTHER_WORDS.has(word);
}

function isNumber(text: string): boolean {
  return !/\p{L}/u.test(text) || wordsOf(text).every(isTrailerWord);
}

function onlyNumber(cells: readonly string[]): number | undefined {
  return cells.length === 1 ? wholeNumber(cells[0]) : undefined;
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,12}$/u.test(text) ? Number(text) : undefined;
}
