import type { ReadFailure } from "./failure.ts";
import { createFieldReaders } from "./field-readers.ts";
import type { InputShape } from "./input.ts";
import type { Partner, PartnerField } from "./partner.ts";
import type { ReadingNotes } from "./reading-notes.ts";

/** What a record's cells came to. */
export type CellsVerdict =
  | { readonly kind: "partner"; readonly partner: Partner }
  | { readonly kind: "bad"; readonly failure: ReadFailure };

/** Longest cell that is read: 32 KiB, about the 32,767 characters that a spreadsheet cell can hold. Characters are UTF-16 units. */
export const MAX_CELL_LENGTH = 32_768;

/** Ends of company names behind a comma: `Pavlova, Ltd.` without quotes makes a row too wide. */
const LEGAL_FORM =
  /^(?:ltd|limited|llc|llp|inc|incorporated|corp|co|plc|gmbh|ag|kg|ohg|e\.? ?k|s\.?a|s\.?l|s\.?a\.?r\.?l|s\.?r\.?l|s\.?p\.?a|b\.?v|n\.?v|sp\. ?z ?o\.? ?o|lda|ltda|a\/s|aps|ab|oy)\.?$/iu;

/**
 * Gives the function that makes a partner of a record's cells, or says why it cannot be sent.
 * Missing cells at the end count as empty.
 *
 * @param surplus so many empty cells behind the header's columns are the file's habit; with more of them a
 *   delimiter stands in a cell, and what follows it is in the wrong column
 */
export function createCellsJudge(
  header: readonly string[],
  mapping: InputShape["mapping"],
  surplus: number,
): (cells: readonly string[], notes: ReadingNotes) => CellsVerdict {
  const readers = createFieldReaders(header, mapping);
  const nameColumns = mapping.name ?? [];
  return (cells, notes) => {
    const unfit = tooWide(header, cells, surplus) ?? tooLong(header, cells);
    if (unfit !== undefined) return unfit;
    const partner: Partial<Record<PartnerField, string>> = {};
    for (const read of readers) read(cells, partner, notes);
    if (!hasName(partner)) return noName(nameColumns, header, cells);
    if (cells.length < header.length) {
      notes.add("The record ends early; its missing cells are taken for empty");
    }
    return { kind: "partner", partner };
  };
}

function hasName(partner: Partial<Partner>): partner is Partner {
  return partner.name !== undefined;
}

function bad(reason: ReadFailure["reason"], message: string): CellsVerdict {
  return { kind: "bad", failure: { reason, message } };
}

function tooWide(
  header: readonly string[],
  cells: readonly string[],
  surplus: number,
): CellsVerdict | undefined {
  if (cells.length <= header.length) return undefined;
  const isUsual = cells.length <= header.length + surplus;
  if (isUsual && cells.slice(header.length).every((cell) => cell.trim() === "")) return undefined;
  const texts = cells.map((cell) => cell.trim());
  const form = texts.findIndex((text, column) => column > 0 && LEGAL_FORM.test(text));
  const hint =
    form === -1
      ? ""
      : ` Cell ${form + 1} looks like the end of cell ${form}: "${texts.slice(form - 1, form + 1).join(", ")}" belongs in quotes.`;
  return bad(
    "ROW_TOO_WIDE",
    `The record has ${cells.length} cells, the header names ${header.length}; a cell that holds the delimiter must be in quotes.${hint}`,
  );
}

function tooLong(header: readonly string[], cells: readonly string[]): CellsVerdict | undefined {
  let column = 0;
  for (const { length } of cells) {
    column += 1;
    if (length <= MAX_CELL_LENGTH) continue;
    return bad(
      "CELL_TOO_LONG",
      `The cell in column ${column} (${header[column - 1]?.trim() ?? ""}) has ${length} characters; at most ${MAX_CELL_LENGTH} are read.`,
    );
  }
  return undefined;
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
  const names = nameColumns.map((column) => `"${header[column]?.trim()}"`);
  const word = nameColumns.map((column) => cells[column]?.trim()).find(Boolean);
  const found = word === undefined ? "empty" : `no name but "${word.slice(0, 40)}"`;
  return bad("NAME_MISSING", `The name is ${found} (column ${names.join(", ")}).`);
}
