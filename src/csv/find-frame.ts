import type { ReadOptions } from "../core/input.ts";
import { givenDelimiter, linesBeforeHeader } from "./read-options.ts";

/** What stands above the header and is recognised by itself. */
export interface TopLines {
  /** Physical lines before the header or the search for it. */
  readonly lineCount: number;
  /** Why those lines are left out; empty without any. */
  readonly why: string;
  /** What a `sep=` line says. */
  readonly delimiter: string | undefined;
}

const SEPARATOR = /^"?sep=(?<delimiter>\\t|[^"\r\n])"?[;,\t|]*(?:\r\n|\r|\n|$)/iu;
const DATEV = /^"?(?:EXTF|DTVF)"?;\d+;/u;

/** Recognises Excel's `sep=;` line and DATEV's first line, and counts the lines above a header whose line was given. */
export function findTopLines(text: string, options: ReadOptions): TopLines {
  const separator = SEPARATOR.exec(text)?.groups?.["delimiter"];
  const delimiter = separator === String.raw`\t` ? "\t" : separator;
  const given = linesBeforeHeader(options);
  if (given > 0) return { lineCount: given, why: "above the header that was given", delimiter };
  if (options.headerRow !== undefined) return { lineCount: 0, why: "", delimiter: undefined };
  if (delimiter !== undefined) return { lineCount: 1, why: "names the delimiter", delimiter };
  if (DATEV.test(text)) return { lineCount: 1, why: "DATEV's own first line", delimiter: ";" };
  return { lineCount: 0, why: "", delimiter: undefined };
}

/** The delimiter that the user or the file names, and who. @throws OnboardError exit 2 */
export function namedDelimiter(
  options: ReadOptions,
  top: TopLines,
): { readonly delimiter: string; readonly reason: string } | undefined {
  const given = givenDelimiter(options);
  if (given !== undefined) return { delimiter: given, reason: "--delimiter says so" };
  if (top.delimiter === undefined) return undefined;
  return { delimiter: top.delimiter, reason: "the first line of the file says so" };
}
