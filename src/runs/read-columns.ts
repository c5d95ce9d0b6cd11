import type { OutcomeContent } from "../core/outcome-content.ts";
import type { ResultColumn } from "../core/result-columns.ts";
import { pointerCell } from "../core/result-columns.ts";
import type { Groups } from "./match-texts.ts";
import { createTextMatcher } from "./match-texts.ts";

/** Fills the configured result columns. */
export interface ColumnReader {
  /** For each answer one cell for each column; empty where the answer has nothing for it. */
  read(contents: readonly OutcomeContent[]): readonly (readonly string[])[];
  /** The columns that were given up, since their pattern takes too long. */
  givenUp(): readonly string[];
}

/** @param columns in the order of their cells */
export function createColumnReader(columns: readonly ResultColumn[]): ColumnReader {
  const patterns = columns.flatMap(({ source }) =>
    source.kind === "group" ? [source.pattern] : [],
  );
  const matchers = new Map(
    [...new Set(patterns)].map((pattern) => [pattern, createTextMatcher(pattern)] as const),
  );
  return {
    read(contents) {
      const texts = contents.map(({ text }) => text);
      const matched = new Map<string, readonly Groups[]>();
      for (const [pattern, matcher] of matchers) matched.set(pattern, matcher.match(texts));
      return contents.map(({ data }, index) =>
        columns.map(({ source }) =>
          source.kind === "pointer"
            ? pointerCell(data, source.tokens)
            : (matched.get(source.pattern)?.[index]?.[source.group] ?? ""),
        ),
      );
    },
    givenUp: () =>
      columns
        .filter(({ source }) => source.kind === "group" && hasGivenUp(source.pattern))
        .map(({ name }) => name),
  };

  function hasGivenUp(pattern: string): boolean {
    return matchers.get(pattern)?.hasGivenUp() === true;
  }
}
