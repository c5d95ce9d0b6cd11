import { countryCodeOf } from "./country-names.ts";

/** What the cells of a column say about what it is, where its name leaves that open. */
export type CellsLook = "names" | "numbers" | "countries" | "no-countries" | "unclear";

/** Looks at the cells of a column by its index. */
export type LookAtCells = (column: number) => CellsLook;

const CLEAR_SHARE = 0.8;

/** Judges columns by the first records of the file. */
export function lookAtCells(rows: readonly (readonly string[])[]): LookAtCells {
  return (column) => {
    const cells = filledCells(rows, column);
    if (cells.length === 0) return "unclear";
    const share = (fits: (cell: string) => boolean): number =>
      cells.filter(fits).length / cells.length;
    const countries = share((cell) => countryCodeOf(cell) !== undefined);
    if (countries >= CLEAR_SHARE) return "countries";
    if (share(isNumberLike) >= CLEAR_SHARE) return "numbers";
    if (share(isNameLike) >= CLEAR_SHARE) return "names";
    return countries <= 1 - CLEAR_SHARE ? "no-countries" : "unclear";
  };
}

/** Whether the cells of two columns say the same wherever both say something, or one says nothing at all. */
export function sayTheSame(
  rows: readonly (readonly string[])[],
  left: number,
  right: number,
): boolean {
  const differs = (row: readonly string[]): boolean => {
    const [one, other] = [row[left]?.trim() ?? "", row[right]?.trim() ?? ""];
    return one !== "" && other !== "" && one !== other;
  };
  return rows.length > 0 && !rows.some(differs);
}

function filledCells(rows: readonly (readonly string[])[], column: number): string[] {
  return rows.map((row) => row[column]?.trim() ?? "").filter((cell) => cell !== "");
}

/** `4711`, `K-0815`, `DE 12/3`: digits with at most a few letters before them. */
function isNumberLike(cell: string): boolean {
  return /^\p{L}{0,4}[-_. /]?\d[\d\-_. /]*\p{L}?$/u.test(cell);
}

/** At least one word of three letters, and more letters than digits. */
function isNameLike(cell: string): boolean {
  const letters = cell.match(/\p{L}/gu)?.length ?? 0;
  const digits = cell.match(/\d/gu)?.length ?? 0;
  return /\p{L}{3}/u.test(cell) && letters > 2 * digits;
}
