import { foldHeader, matchHeader } from "../core/header-aliases-match.ts";
import { isOwnColumn } from "../core/mapping.ts";

/** Records among which the header is looked for. */
const SEARCHED_RECORDS = 50;
/** As many known names make a header of a record below other records. */
const CLEAR_NAMES = 2;

type Cells = readonly string[];

/** Gives the test whether a cell is a header name that is known or was told by the user. */
export function createNameTest(expected: readonly string[]): (cell: string) => boolean {
  const told = new Set(expected.map(foldHeader));
  return (cell) => matchHeader(cell).length > 0 || isOwnColumn(cell) || told.has(foldHeader(cell));
}

/**
 * How many of the first records stand above the header: it is the first record that has at least two known names and
 * the width of most records, or one known name and nothing as wide before it. Without any such record the first is it.
 */
export function findHeader(rows: readonly Cells[], isKnown: (cell: string) => boolean): number {
  const counts = rows.slice(0, SEARCHED_RECORDS).map((cells) => cells.filter(isKnown).length);
  const width = usualWidth(rows);
  const count = (at: number): number => counts[at] ?? 0;
  const clear = findFitting(rows, width, (at) => count(at) >= CLEAR_NAMES);
  if (clear > 0) {
    // One known name in a first record of that width is a header too: the other one may be made of data.
    const isFirst = count(0) > 0 && rows[0]?.length === width;
    return isFirst && count(0) + 1 >= count(clear) ? 0 : clear;
  }
  const isFirst = clear === 0 || count(0) > 0 || width < 2;
  return isFirst ? 0 : findSingleName(rows, width, count);
}

/** The first record with a known name if it has the usual width and everything above it is narrower, else the first. */
function findSingleName(
  rows: readonly Cells[],
  width: number,
  count: (at: number) => number,
): number {
  const single = findFitting(rows, width, (at) => count(at) > 0);
  if (single === -1) return 0;
  return rows.slice(0, single).every((cells) => cells.length < width) ? single : 0;
}

/** The first of the searched records that has that width and more; -1 without any. */
function findFitting(rows: readonly Cells[], width: number, fits: (at: number) => boolean): number {
  return rows
    .slice(0, SEARCHED_RECORDS)
    .findIndex((cells, at) => cells.length === width && fits(at));
}

/**
 * The width that most records have; of two that are equally usual the larger. Titles and rulings are one cell wide
 * and do not count where anything is wider.
 */
function usualWidth(rows: readonly Cells[]): number {
  const counts = new Map<number, number>();
  for (const { length } of rows) {
    if (length > 1) counts.set(length, (counts.get(length) ?? 0) + 1);
  }
  const [[width] = [1]] = [...counts].toSorted(
    ([one, oneCount], [two, twoCount]) => twoCount - oneCount || two - one,
  );
  return width;
}

/** Whether a first record is rather data than a header: a number, a company's or a country's sign among its cells. */
export function looksLikeData(cells: Cells): boolean {
  return cells
    .map((cell) => cell.trim())
    .some((cell) => cell.length <= MAX_DATA && DATA.test(cell));
}

/** A longer cell tells nothing, and could take the pattern ages. */
const MAX_DATA = 250;

const DATA =
  /^(?:\d[\d\s.,/-]*|[A-Z]{2}\d{6,}|https?:\/\/\S+|\S+@\S+\.\S+|.+[ ,](?:gmbh|ag|kg|s\.?a\.?|s\.?l\.?|s\.?r\.?l\.?|s\.?p\.?a\.?|ltd\.?|limited|inc\.?|llc|plc|b\.?v\.?|n\.?v\.?|sp\. z o\. ?o\.?))$/iu;
