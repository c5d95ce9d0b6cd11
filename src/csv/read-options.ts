import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { ReadOptions } from "../core/input.ts";

const NAMED: Readonly<Record<string, string>> = {
  comma: ",",
  semicolon: ";",
  tab: "\t",
  [String.raw`\t`]: "\t",
  pipe: "|",
};

/** The delimiter that the user named, `undefined` when it is to be found. @throws OnboardError exit 2 */
export function givenDelimiter({ delimiter }: ReadOptions): string | undefined {
  if (delimiter === undefined) return undefined;
  const character = NAMED[delimiter] ?? delimiter;
  if (character.length === 1 && !/["\r\n]/u.test(character)) return character;
  throw new OnboardError(
    EXIT.usage,
    `--delimiter ${JSON.stringify(delimiter)}: a delimiter is one character, and no quote or line break.`,
    { hint: "Use --delimiter ';' or one of the words comma, semicolon, tab, pipe." },
  );
}

/** Physical lines before the header, or before the first record with `--columns`. @throws OnboardError exit 2 */
export function linesBeforeHeader({ headerRow, columns }: ReadOptions): number {
  if (headerRow === undefined) return 0;
  if (columns !== undefined) {
    throw new OnboardError(EXIT.usage, "--columns and --header-row exclude each other.", {
      hint: "--columns is for a file without a header; use --map to rename single columns.",
    });
  }
  return headerRow - 1;
}
