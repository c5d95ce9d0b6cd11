import { cleanCell } from "./cell-cleaning.ts";
import { countryCodeOf } from "./country-names.ts";
import {
  checkDuns,
  checkLei,
  checkVatId,
  hasLostZero,
  type IdVerdict,
  isScientific,
  looksLikeDate,
  withoutZeroDecimal,
} from "./id-forms.ts";
import type { InputShape } from "./input.ts";
import { isNullWord } from "./null-words.ts";
import { ownText } from "./own-text.ts";
import { PARTNER_FIELDS, type PartnerField } from "./partner.ts";
import { splitPostalCity } from "./postal-city.ts";
import type { ReadingNotes } from "./reading-notes.ts";

type Draft = Partial<Record<PartnerField, string>>;

/** Reads one field of a record into the partner; what is empty is left out. */
type FieldReader = (cells: readonly string[], partner: Draft, notes: ReadingNotes) => void;

/** The columns of one field in joining order, each with those of the same name behind it. */
type Pieces = readonly (readonly number[])[];

/** Turns a field's text into what is sent; an empty text is left out. */
type Finish = (text: string, partner: Readonly<Draft>, notes: ReadingNotes) => string;

/** Numbers that a spreadsheet can spoil. */
const IDS: ReadonlySet<PartnerField> = new Set([
  "vatId",
  "registrationNumber",
  "duns",
  "lei",
  "internalId",
  "postalCode",
]);

/** Countries repeat: more different texts than these are looked up anew each time. */
const MAX_REMEMBERED = 5_000;
const MAX_REMEMBERED_LENGTH = 100;

/**
 * Gives a reader for each mapped field. The country is read first, since numbers are judged by it.
 * Of columns with the same name the first one with a filled cell counts.
 */
export function createFieldReaders(
  header: readonly string[],
  mapping: InputShape["mapping"],
): readonly FieldReader[] {
  const countries = createCountryFinish();
  const ordered = ["country" as const, ...PARTNER_FIELDS.filter((field) => field !== "country")];
  const readers = ordered.flatMap((field) => {
    const columns = mapping[field] ?? [];
    if (columns.length === 0) return [];
    const pieces = columns.map((column) => namesakes(header, column));
    return [createReader(field, pieces, field === "country" ? countries : finishOf(field))];
  });
  return mapping.city === undefined && mapping.postalCode !== undefined
    ? [...readers, splitPlace]
    : readers;
}

/** A column and those of the same name behind it. */
function namesakes(header: readonly string[], column: number): readonly number[] {
  const name = header[column]?.trim();
  const isSame = (other: number): boolean => other > column && header[other]?.trim() === name;
  return [column, ...[...header.keys()].filter(isSame)];
}

function createReader(
  field: PartnerField,
  pieces: Pieces,
  finish: Finish | undefined,
): FieldReader {
  const [column, ...others] = pieces.flat();
  if (column !== undefined && others.length === 0) {
    return (cells, partner, notes) => {
      const text = textOf(cells[column], field, notes);
      if (text !== "")
        put(field, finish === undefined ? text : finish(text, partner, notes), partner);
    };
  }
  return (cells, partner, notes) => {
    const texts = pieces.map((piece) => firstFilled(piece, { cells, field, notes }));
    const text = texts.filter((one) => one !== "").join(" ");
    if (text !== "")
      put(field, finish === undefined ? text : finish(text, partner, notes), partner);
  };
}

function put(field: PartnerField, text: string, partner: Draft): void {
  if (text !== "") partner[field] = text;
}

interface PieceInput {
  readonly cells: readonly string[];
  readonly field: PartnerField;
  readonly notes: ReadingNotes;
}

function firstFilled(columns: readonly number[], { cells, field, notes }: PieceInput): string {
  for (const column of columns) {
    const text = textOf(cells[column], field, notes);
    if (text !== "") return text;
  }
  return "";
}

function textOf(cell: string | undefined, field: PartnerField, notes: ReadingNotes): string {
  if (cell === undefined || cell === "") return "";
  const text = cleanCell(cell, notes);
  if (!isNullWord(text, field)) return text;
  notes.add(`A word for nothing (such as NULL or n/a) in ${field} is taken for empty`);
  return "";
}

function createCountryFinish(): Finish {
  const known = new Map<string, string>();
  return (text, _partner, notes) => {
    let code = known.get(text);
    if (code === undefined) {
      code = countryCodeOf(text) ?? "";
      if (known.size < MAX_REMEMBERED && text.length <= MAX_REMEMBERED_LENGTH) {
        known.set(ownText(text), code);
      }
    }
    if (code !== "") return code;
    notes.add("The country is none that is known; it is sent as it stands");
    return text;
  };
}

function finishOf(field: PartnerField): Finish | undefined {
  if (IDS.has(field)) return (text, partner, notes) => checkedId({ field, text, partner, notes });
  return field === "name" ? noteQuotes : undefined;
}

interface IdInput {
  readonly field: PartnerField;
  readonly text: string;
  readonly partner: Readonly<Draft>;
  readonly notes: ReadingNotes;
}

function checkedId({ field, text, partner, notes }: IdInput): string {
  if (isScientific(text)) {
    notes.add(
      `${field} as a rounded number (such as 9.08E+12) is taken for missing, because its digits are lost`,
    );
    return "";
  }
  const whole = withoutZeroDecimal(text);
  if (whole !== undefined) {
    notes.add(`${field} ends in .0, as a number made a decimal does; it is sent without`);
    return checkedId({ field, text: whole, partner, notes });
  }
  if (looksLikeDate(text)) notes.add(`${field} looks like a number that was taken for a date`);
  const verdict = judgeId(field, text, partner);
  if (verdict?.kind === "odd") notes.add(`${field} ${verdict.why}; it is sent as it stands`);
  return text;
}

function judgeId(
  field: PartnerField,
  text: string,
  { country }: Readonly<Draft>,
): IdVerdict | undefined {
  if (field === "vatId") return checkVatId(text, country);
  if (field === "lei") return checkLei(text);
  if (field === "duns") return checkDuns(text);
  const isShort = field === "postalCode" && hasLostZero(text, country);
  return isShort
    ? { kind: "odd", why: "is a digit short, as if a spreadsheet had taken its leading zero" }
    : undefined;
}

function noteQuotes(name: string, _partner: Readonly<Draft>, notes: ReadingNotes): string {
  if (/^[“„«‘].*[”“»’]$/u.test(name)) {
    notes.add("A name stands wholly in typographic quotes; they are sent with it");
  }
  return name;
}

/** Postal code and city in one column (`PLZ/Ort`): cut only where the country's pattern fits. */
function splitPlace(_cells: readonly string[], partner: Draft): void {
  const { postalCode, country } = partner;
  if (postalCode === undefined || country === undefined) return;
  const place = splitPostalCity(postalCode, country);
  if (place === undefined) return;
  partner.postalCode = place.postalCode;
  partner.city = place.city;
}
