import type { PartnerField } from "./partner.ts";

/** What exports write where there is nothing. */
const NULL_WORDS: ReadonlySet<string> = new Set([
  ...String.raw`null (null) <null> [null] nil none nan n/a n.a. n.a na #n/a #na #nv #ref! #value! #wert! #name? #null!
  #div/0! #bezug! \n - -- --- . .. ... ? ?? ??? _ / // k.a. k.a tbd tba xxx unknown unbekannt inconnu desconocido
  sconosciuto nieznany desconhecido onbekend undefined redacted unknown_value_please_contact_support`
    .split(/\s+/u)
    .filter((word) => word !== ""),
  "not available",
  "not applicable",
  "keine angabe",
  "nicht vorhanden",
]);

/** Fields in which `NA` means something: Namibia, the province of Naples. */
const REAL_NA: ReadonlySet<PartnerField> = new Set(["country", "region"]);

/** Lengths of the words that begin with a character, as bits: nearly every cell is passed over by this alone. */
const LONG = 31;
const LENGTHS_BY_FIRST = buildLengths();

function buildLengths(): ReadonlyMap<number, number> {
  const lengths = new Map<number, number>();
  for (const word of [...NULL_WORDS, "test"]) {
    for (const first of [word.charCodeAt(0), word.toUpperCase().charCodeAt(0)]) {
      lengths.set(first, (lengths.get(first) ?? 0) | lengthBit(word));
    }
  }
  return lengths;
}

function lengthBit(word: string): number {
  return 1 << Math.min(word.length, LONG);
}

/**
 * Whether a cell of a field holds a word for nothing (`NULL`, `#N/A`, `unknown`). A partner whose name is `TEST`
 * counts as one without a name, so that it costs no call.
 */
export function isNullWord(text: string, field: PartnerField): boolean {
  const lengths = LENGTHS_BY_FIRST.get(text.charCodeAt(0));
  if (lengths === undefined || (lengths & lengthBit(text)) === 0) return false;
  const word = text.toLowerCase();
  if (word === "na") return !REAL_NA.has(field);
  return NULL_WORDS.has(word) || (field === "name" && word === "test");
}
