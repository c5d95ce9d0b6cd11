import type { ReadFailure } from "../core/failure.ts";
import type { InputRow } from "../core/input.ts";
import { createCellsJudge } from "../core/partner-cells.ts";
import type { ReadingNotes } from "../core/reading-notes.ts";
import type { CellRecord } from "./cells.ts";
import type { FileShape } from "./find-shape.ts";
import { readLeniently } from "./lenient-cells.ts";

/** Gives the function that makes rows of records, which must come in file order: it counts them. */
export function createRowMaker(
  file: FileShape,
  notes: ReadingNotes,
): (record: CellRecord) => InputRow {
  const { header, mapping } = file.shape;
  const judge = createCellsJudge(header, mapping, file.usualWidth - file.width);
  const noCells = header.map(() => "");
  const leaveOut = createLeaveOut(file);
  let row = 0;

  return (found) => {
    row += 1;
    const { line, text: raw } = found.raw;
    notes.line = line;
    const record = fitsOrLenient(file, found, notes);
    if (record.kind === "broken") {
      return { kind: "bad", row, line, cells: noCells, failure: unreadable(record.why), raw };
    }
    const ownCells = leaveOut(record.cells);
    const cells = fitted(ownCells, header.length);
    if (record.isDoubtful) {
      const failure = unreadable("A quote is missing or one too many.");
      return { kind: "bad", row, line, cells, failure, raw };
    }
    const verdict = judge(ownCells, notes);
    return verdict.kind === "partner"
      ? { kind: "partner", row, line, cells, partner: verdict.partner }
      : { kind: "bad", row, line, cells, failure: verdict.failure, raw };
  };
}

type FittedRecord =
  | {
      readonly kind: "cells";
      readonly cells: readonly string[];
      /** With text behind a closing quote only the width tells whether the cells are what they seem. */
      readonly isDoubtful: boolean;
    }
  | { readonly kind: "broken"; readonly why: string };

/** The record as it is when it has the header's width, else as a more lenient reading has it. */
function fitsOrLenient(file: FileShape, record: CellRecord, notes: ReadingNotes): FittedRecord {
  const { width, fullWidth, syntax } = file;
  const isLoose = record.raw.kind === "loose";
  const fits =
    record.kind === "cells" && (record.cells.length === width || record.cells.length === fullWidth);
  const isEscaped = isLoose && record.raw.text.includes(String.raw`\"`);
  if (fits && !isEscaped) {
    if (isLoose) notes.add("Text behind a closing quote is taken as it stands, quotes included");
    return { kind: "cells", cells: record.cells, isDoubtful: false };
  }
  const lenient = readLeniently(record.raw.text, syntax.delimiter, width);
  if (lenient !== undefined) {
    notes.add(lenient.what);
    return { kind: "cells", cells: lenient.cells, isDoubtful: false };
  }
  if (record.kind === "broken") return record;
  return { kind: "cells", cells: record.cells, isDoubtful: isLoose && !fits };
}

function unreadable(message: string): ReadFailure {
  return { reason: "ROW_UNREADABLE", message };
}

/** Leaves out the cells of columns that the header does not keep; surplus cells stay. */
function createLeaveOut({
  kept,
  width,
}: FileShape): (cells: readonly string[]) => readonly string[] {
  if (kept.length === width) return (cells) => cells;
  const isKept = Array.from({ length: width }, (_, column) => kept.includes(column));
  return (cells) => cells.filter((_, column) => isKept[column] ?? true);
}

function fitted(cells: readonly string[], width: number): readonly string[] {
  if (cells.length === width) return cells;
  return Array.from({ length: width }, (_, column) => cells[column] ?? "");
}
