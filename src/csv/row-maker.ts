import type { ReadFailure } from "../core/failure.ts";
import type { InputRow } from "../core/input.ts";
import { createCellsJudge } from "../core/partner-cells.ts";
import type { CellRecord } from "./cells.ts";
import type { FileShape } from "./find-shape.ts";

/** Gives the function that makes rows of records, which must come in file order: it counts them. */
export function createRowMaker(file: FileShape): (record: CellRecord) => InputRow {
  const { header, mapping } = file.shape;
  const judge = createCellsJudge(header, mapping);
  const noCells = header.map(() => "");
  let row = 0;

  return (record) => {
    row += 1;
    const { line, text: raw, kind } = record.raw;
    if (record.kind === "broken") {
      return { kind: "bad", row, line, cells: noCells, failure: unreadable(record.why), raw };
    }
    const ownCells = leaveOut(file, record.cells);
    const cells = fitted(ownCells, header.length);
    // With text behind a closing quote only the width tells whether the cells are what they seem.
    if (kind === "loose" && record.cells.length !== file.width) {
      const failure = unreadable("A quote is missing or one too many.");
      return { kind: "bad", row, line, cells, failure, raw };
    }
    const verdict = judge(ownCells);
    return verdict.kind === "partner"
      ? { kind: "partner", row, line, cells, partner: verdict.partner }
      : { kind: "bad", row, line, cells, failure: verdict.failure, raw };
  };
}

function unreadable(message: string): ReadFailure {
  return { reason: "ROW_UNREADABLE", message };
}

/** Without the cells of columns that are this program's own; surplus cells stay. */
function leaveOut({ kept, width }: FileShape, cells: readonly string[]): readonly string[] {
  if (kept.length === width) return cells;
  return cells.filter((_, column) => column >= width || kept.includes(column));
}

function fitted(cells: readonly string[], width: number): readonly string[] {
  if (cells.length === width) return cells;
  return Array.from({ length: width }, (_, column) => cells[column] ?? "");
}
