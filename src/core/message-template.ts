import { foldHeader } from "./header-aliases-match.ts";
import { nearestWord } from "./nearest.ts";
import { PARTNER_FIELDS, type Partner, type PartnerField } from "./partner.ts";

type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "field"; readonly field: PartnerField };

type Section =
  | Piece
  /** Left out when any of its fields is empty. */
  | { readonly kind: "optional"; readonly pieces: readonly Piece[] };

/** A message template that was checked. */
export interface MessageTemplate {
  readonly sections: readonly Section[];
  /** Whether `{street}` tells the house number too, because no `{houseNumber}` does. */
  readonly joinsHouseNumber: boolean;
}

export type ParsedTemplate =
  | { readonly kind: "template"; readonly template: MessageTemplate }
  /** `message` names the place (1-based character) and what to write instead. */
  | { readonly kind: "problem"; readonly message: string };

/**
 * The words that CDQ Genius is known to answer, with the further fields in the same manner.
 * `{field}` inserts a field, `[…]` is left out when a field in it is empty, a backslash makes `{ } [ ] \` plain.
 */
export const DEFAULT_TEMPLATE =
  "Provide me data to help onboarding my business partner Name: {name}[, Country: {country}][, City: {city}]" +
  "[, Postal code: {postalCode}][, Street: {street}][, House number: {houseNumber}][, Region: {region}]" +
  "[, VAT ID: {vatId}][, Registration number: {registrationNumber}][, DUNS: {duns}][, LEI: {lei}]" +
  "[, Website: {website}]";

/** Fields that a message may tell; the internal id is the customer's own and stays here. */
const SENT_FIELDS: readonly PartnerField[] = PARTNER_FIELDS.filter(
  (field) => field !== "internalId",
);

/** An escaped mark, a field, a mark, else plain text. */
const TOKEN = /\\([{}[\]\\])|\{([^{}[\]\\]*)\}|([{}[\]\\])|[^{}[\]\\]+/gu;

interface Parse {
  readonly sections: Section[];
  /** The piece in brackets that is being read. */
  optional: { readonly at: number; readonly pieces: Piece[] } | undefined;
}

/** Checks a template. A fault is a value and no exception: it is in the user's own text. */
export function parseTemplate(text: string): ParsedTemplate {
  const parse: Parse = { sections: [], optional: undefined };
  for (const match of text.matchAll(TOKEN)) {
    const problem = takeToken(parse, match);
    if (problem !== undefined) return { kind: "problem", message: problem };
  }
  if (parse.optional !== undefined) {
    return {
      kind: "problem",
      message: `The "[" at character ${parse.optional.at} is never closed; write "]" behind its piece, or \\[ for a plain bracket.`,
    };
  }
  if (!parse.sections.some(({ kind }) => kind !== "text")) {
    return {
      kind: "problem",
      message:
        "The template inserts no field, so every partner would get the same message; write {name} where the name belongs.",
    };
  }
  const joinsHouseNumber = !fieldsOf(parse.sections).includes("houseNumber");
  return { kind: "template", template: { sections: parse.sections, joinsHouseNumber } };
}

function fieldsOf(sections: readonly Section[]): PartnerField[] {
  return sections
    .flatMap((section) => (section.kind === "optional" ? section.pieces : [section]))
    .flatMap((piece) => (piece.kind === "field" ? [piece.field] : []));
}

/** Adds one token to what was read; gives the words for a fault. */
function takeToken(parse: Parse, token: RegExpExecArray): string | undefined {
  const [whole, escaped, name, mark] = token;
  const at = token.index + 1;
  if (mark !== undefined) return takeMark(parse, mark, at);
  const target = parse.optional?.pieces ?? parse.sections;
  if (name === undefined) {
    target.push({ kind: "text", text: escaped ?? whole });
    return undefined;
  }
  const field = SENT_FIELDS.find((known) => known === name.trim());
  if (field === undefined) return unknownField(name.trim(), at);
  target.push({ kind: "field", field });
  return undefined;
}

function takeMark(parse: Parse, mark: string, at: number): string | undefined {
  const { optional } = parse;
  if (mark === "[" && optional === undefined) {
    parse.optional = { at, pieces: [] };
    return undefined;
  }
  if (mark === "]" && optional !== undefined) {
    if (!optional.pieces.some(({ kind }) => kind === "field")) {
      return `The piece in brackets at character ${optional.at} inserts no field, so it could never be left out; write \\[ and \\] for plain brackets.`;
    }
    parse.sections.push({ kind: "optional", pieces: optional.pieces });
    parse.optional = undefined;
    return undefined;
  }
  return strayMark(mark, at);
}

function strayMark(mark: string, at: number): string {
  switch (mark) {
    case "[":
      return `The "[" at character ${at} is inside another piece in brackets; pieces cannot be nested. Write \\[ for a plain bracket.`;
    case "\\":
      return `The backslash at character ${at} must stand before { } [ ] or another backslash; write \\\\ for a plain one.`;
    default:
      return `The "${mark}" at character ${at} has no partner; write \\${mark} for a plain one.`;
  }
}

function unknownField(name: string, at: number): string {
  if (name === "internalId") {
    return `{internalId} at character ${at}: the internal id is never sent; leave it out.`;
  }
  const folded = foldHeader(name);
  const nearest =
    SENT_FIELDS.find((field) => foldHeader(field) === folded) ?? nearestWord(name, SENT_FIELDS);
  const hint = nearest === undefined ? "" : ` Did you mean {${nearest}}?`;
  return `{${name}} at character ${at} is not a field.${hint} Fields: ${SENT_FIELDS.join(", ")}.`;
}

/** The message for one partner, whose values are one line each (see `cleanCell`). An empty field outside brackets inserts nothing. */
export function renderMessage(template: MessageTemplate, row: Partner): string {
  const partner = template.joinsHouseNumber ? withHouseNumber(row) : row;
  let message = "";
  for (const section of template.sections) {
    if (section.kind !== "optional") {
      message += renderPiece(section, partner);
    } else if (
      section.pieces.every((piece) => piece.kind === "text" || isFilled(partner, piece.field))
    ) {
      for (const piece of section.pieces) message += renderPiece(piece, partner);
    }
  }
  return message;
}

/** Where the house number stands before the street. */
const NUMBER_FIRST: ReadonlySet<string> = new Set(
  "AU CA FR GB IE IN LU MC MT MY NZ SG TH US ZA".split(" "),
);

/** Street and house number as one, in the country's order. */
function withHouseNumber(partner: Partner): Partner {
  const { street, houseNumber, country } = partner;
  if (street === undefined || houseNumber === undefined) return partner;
  const isFirst = country !== undefined && NUMBER_FIRST.has(country);
  return {
    ...partner,
    street: isFirst ? `${houseNumber} ${street}` : `${street} ${houseNumber}`,
  };
}

function renderPiece(piece: Piece, partner: Partner): string {
  return piece.kind === "text" ? piece.text : (partner[piece.field] ?? "");
}

function isFilled(partner: Partner, field: PartnerField): boolean {
  return (partner[field] ?? "") !== "";
}
