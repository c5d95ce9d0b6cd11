/** What is known of a number by its form alone. */
export type IdVerdict =
  | { readonly kind: "good" | "unknown" }
  /** `why` is for people and does not repeat the number. */
  | { readonly kind: "odd"; readonly why: string };

const GOOD: IdVerdict = { kind: "good" };
const UNKNOWN: IdVerdict = { kind: "unknown" };

/** VAT numbers behind their prefix: the EU's as VIES takes them, then its neighbours'. */
const VAT_FORMS: Readonly<Record<string, RegExp>> = {
  AT: /^U\d{8}$/u,
  BE: /^[01]?\d{9}$/u,
  BG: /^\d{9,10}$/u,
  CY: /^\d{8}[A-Z]$/u,
  CZ: /^\d{8,10}$/u,
  DE: /^\d{9}$/u,
  DK: /^\d{8}$/u,
  EE: /^\d{9}$/u,
  EL: /^\d{9}$/u,
  ES: /^[A-Z\d]\d{7}[A-Z\d]$/u,
  FI: /^\d{8}$/u,
  FR: /^[A-HJ-NP-Z\d]{2}\d{9}$/u,
  HR: /^\d{11}$/u,
  HU: /^\d{8}$/u,
  IE: /^(?:\d[A-Z\d+*]\d{5}[A-Z]{1,2}|\d{7}[A-Z]{1,2})$/u,
  IT: /^\d{11}$/u,
  LT: /^(?:\d{9}|\d{12})$/u,
  LU: /^\d{8}$/u,
  LV: /^\d{11}$/u,
  MT: /^\d{8}$/u,
  NL: /^\d{9}B\d{2}$/u,
  PL: /^\d{10}$/u,
  PT: /^\d{9}$/u,
  RO: /^\d{2,10}$/u,
  SE: /^\d{12}$/u,
  SI: /^\d{8}$/u,
  SK: /^\d{10}$/u,
  XI: /^(?:\d{9}|\d{12}|GD\d{3}|HA\d{3})$/u,
  GB: /^(?:\d{9}|\d{12}|GD\d{3}|HA\d{3})$/u,
  CHE: /^\d{9}(?:MWST|TVA|IVA|VAT)?$/u,
  NO: /^\d{9}(?:MVA)?$/u,
};

/** ISO codes whose VAT numbers begin otherwise. */
const VAT_PREFIX: Readonly<Record<string, string>> = { GR: "EL", CH: "CHE" };

function compact(text: string): string {
  if (/^[A-Z\d]*$/u.test(text)) return text;
  return text.toUpperCase().replaceAll(/[\s.\-/]/gu, "");
}

/**
 * Checks the form of a VAT number: by its own prefix, else by the partner's country.
 * @param country ISO 3166-1 alpha-2 code; `undefined` when it is not known
 */
export function checkVatId(text: string, country: string | undefined): IdVerdict {
  const id = compact(text);
  const prefix = id.startsWith("CHE") ? "CHE" : id.slice(0, 2);
  const own = VAT_FORMS[prefix];
  const form = formOfCountry(country);
  if (own?.test(id.slice(prefix.length)) === true || form?.test(id) === true) return GOOD;
  if (own === undefined && form === undefined) return UNKNOWN;
  const whose = own === undefined ? `of ${String(country)}` : `that begin with ${prefix}`;
  return { kind: "odd", why: `does not have the form of VAT numbers ${whose}` };
}

function formOfCountry(country: string | undefined): RegExp | undefined {
  return country === undefined ? undefined : VAT_FORMS[VAT_PREFIX[country] ?? country];
}

/** Checks length and check digits of a Legal Entity Identifier (ISO 17442, ISO 7064 mod 97-10). */
export function checkLei(text: string): IdVerdict {
  const id = compact(text);
  if (!/^[A-Z\d]{18}\d{2}$/u.test(id)) {
    return { kind: "odd", why: "is not 18 letters or digits and two check digits" };
  }
  let remainder = 0;
  for (const character of id) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1 ? GOOD : { kind: "odd", why: "has wrong check digits" };
}

/** Checks the length of a D-U-N-S number, which is nine digits. */
export function checkDuns(text: string): IdVerdict {
  const id = compact(text);
  if (/^\d{9}$/u.test(id)) return GOOD;
  const why = /^\d{7,8}$/u.test(id)
    ? "has fewer than nine digits; leading zeros may be lost"
    : "is not nine digits";
  return { kind: "odd", why };
}

/** A number that a program has rounded (`9.08E+12`, Java's `1.5E8`): its digits may be gone. `2E8` may be an id. */
export function isScientific(text: string): boolean {
  return /^[+-]?\d(?:(?:[.,]\d+)?E\+|[.,]\d+E)\d{1,3}$/iu.test(text);
}

/** Digits that a program has made a decimal of (`10115.0`, as pandas does beside empty cells); undefined for others. */
export function withoutZeroDecimal(text: string): string | undefined {
  return /^(\d+)\.0$/u.exec(text)?.[1];
}

/** A number that a spreadsheet has taken for a date (`01. Mrz`, `MAR-1`). */
export function looksLikeDate(text: string): boolean {
  return /^(?:\d{1,2}[-. ]{1,2})?(?:jan|feb|m[aä]r|mrz|apr|ma[iy]|ju[nl]|aug|sep|o[ck]t|nov|de[cz])[a-z]{0,6}\.?(?:[-. ]{1,2}\d{1,4})?$/iu.test(
    text,
  );
}

/** Digits of postal codes that are numbers of one length and may begin with zero. */
const POSTAL_DIGITS: Readonly<Record<string, number>> = { DE: 5, ES: 5, FR: 5, IT: 5, US: 5 };

/** Whether a postal code looks as if a spreadsheet had taken its leading zero. */
export function hasLostZero(postalCode: string, country: string | undefined): boolean {
  const digits = country === undefined ? undefined : POSTAL_DIGITS[country];
  return digits !== undefined && /^\d+$/u.test(postalCode) && postalCode.length === digits - 1;
}
