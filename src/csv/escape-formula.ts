/** First characters that make a spreadsheet take a cell for a formula, full-width forms included (OWASP: CSV injection). */
const FORMULA_START = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/u;

/**
 * A cell that a spreadsheet shows as text and never runs: it gets an apostrophe in front where it could be a formula.
 * The rule is csv-stringify's `escape_formulas`, which can only be set for a whole file at full speed.
 */
export function escapeFormula(cell: string): string {
  return FORMULA_START.test(cell) ? `'${cell}` : cell;
}
