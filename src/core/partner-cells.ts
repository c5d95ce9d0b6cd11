import type { ReadFailure } from "./failure.ts";
import type { InputShape } from "./input.ts";
import { PARTNER_FIELDS, type Partner, type PartnerField } from "./partner.ts";

/** What a record's cells came to. */
export type CellsVerdict =
  | { readonly kind: "partner"; readonly partner: Partner }
  | { readonly kind: "bad"; readonly failure: ReadFailure };

/** The columns of one field, in joining order. */
interface FieldSource {
  readonly field: PartnerField;
  readonly first: number;
  readonly others: readonly number[];
}

/** Longest cell that is read: 32 KiB, about the 32,767 characters that a spreadsheet cell can hold. Characters are UTF-16 units. */
export const MAX_CELL_LENGTH = 32_768;

// Control characters and the two Unicode line breaks: whatever could start a new line somewhere.
const BREAKS = /[\p{Cc}\p{Zl}\p{Zp}]/u;
const BREAK_RUNS = new RegExp(`${BREAKS.source}+`, "gu");
const BLANK_RUNS = / {2,}/gu;

/** A cell as one trimmed line: each run of line breaks, tabs and control characters becomes a single blank. */
export function flattenCell(cell: string): string {
  if (!BREAKS.test(cell)) return cell.trim();
  return cell.replaceAll(BREAK_RUNS, " ").replaceAll(BLANK_RUNS, " ").trim();
}

/**
 * Gives the function that makes a partner of a record's cells, or says why it cannot be sent.
 * Missing cells at the end count as empty, empty cells too many are ignored.
 */
export function createCellsJudge(
  header: readonly string[],
  mapping: InputShape["mapping"],
): (cells: readonly string[]) => CellsVerdict {
  const fields = PARTNER_FIELDS.flatMap((field): FieldSource[] => {
    const [first, ...others] = mapping[field] ?? [];
    return first === undefined ? [] : [{ field, first, others }];
  });
  const nameColumns = mapping.name ?? [];
  return (cells) =>
    tooWide(header, cells) ??
    tooLong(header, cells) ??
    partnerOf(fields, cells) ??
    noName(nameColumns, header, cells);
}

function bad(reason: ReadFailure["reason"], message: string): CellsVerdict {
  return { kind: "bad", failure: { reason, message } };
}

function tooWide(header: readonly string[], cells: readonly string[]): CellsVerdict | undefined {
  if (cells.length <= header.length) return undefined;
  if (cells.slice(header.length).every((cell) => cell.trim() === "")) return undefined;
  return bad(
    "ROW_TOO_WIDE",
    `The record has ${cells.length} cells, the header names ${header.length}; a cell that holds the delimiter must be in quotes.`,
  );
}

function tooLong(header: readonly string[], cells: readonly string[]): CellsVerdict | undefined {
  const column = cells.findIndex((cell) => cell.length > MAX_CELL_LENGTH);
  const cell = cells[column];
  if (cell === undefined) return undefined;
  return bad(
    "CELL_TOO_LONG",
    `The cell in column ${column + 1} (${header[column]?.trim() ?? ""}) has ${cell.length} characters; at most ${MAX_CELL_LENGTH} are read.`,
  );
}

/** The partner, or undefined when the record has no name. */
function partnerOf(
  fields: readonly FieldSource[],
  cells: readonly string[],
): CellsVerdict | undefined {
  const partner: Partial<Record<PartnerField, string>> = {};
  for (const source of fields) {
    const text = fieldText(source, cells);
    if (text !== "") partner[source.field] = text;
  }
  const { name } = partner;
  return name === undefined ? undefined : { kind: "partner", partner: { ...partner, name } };
}

function fieldText({ first, others }: FieldSource, cells: readonly string[]): string {
  const text = flattenCell(cells[first] ?? "");
  // Nearly every field is one column: no arrays are made for it.
  if (others.length === 0) return text;
  const texts = [text, ...others.map((column) => flattenCell(cells[column] ?? ""))];
  return texts.filter((one) => one !== "").join(" ");
}

function noName(
  nameColumns: readonly number[],
  header: readonly string[],
  cells: readonly string[],
): CellsVerdict {
  if (nameColumns.every((column) => column >= cells.length)) {
    return bad(
      "ROW_TOO_NARROW",
      `The record has ${cells.length} of ${header.length} cells and ends before the name.`,
    );
  }
  const names = nameColumns.map((column) => `"${header[column]?.trim() ?? ""}"`);
  return bad("NAME_MISSING", `The name is empty (column ${names.join(", ")}).`);
}
