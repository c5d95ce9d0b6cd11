import type { OutcomePart, SucceededOutcome } from "../core/outcome.ts";
import { uniqueNames } from "../core/unique-names.ts";
import { isoTime, sourceCell } from "./output-cells.ts";

/** One row of results.csv as it stands in results.jsonl. */
export interface JsonlRow {
  readonly runId: string;
  readonly row: number;
  readonly line: number;
  /** First row with the same message; undefined when that is the row itself. */
  readonly duplicateOf: number | undefined;
  /** One for each name that the line maker knows. */
  readonly cells: readonly string[];
  /** Of the configured columns. */
  readonly columns: readonly string[];
  readonly outcome: SucceededOutcome;
}

/**
 * Gives the function that makes the lines of results.jsonl, each with its line end. What the agent
 * gave has A2A's own names, but for raw parts, which are files by now.
 */
export function createLineMaker(
  header: readonly string[],
  configured: readonly string[],
): (row: JsonlRow) => string {
  const names = uniqueNames(header, []);
  return ({ runId, row, line, duplicateOf, cells, columns, outcome }) =>
    `${JSON.stringify({
      runId,
      row,
      line,
      ...(duplicateOf === undefined ? {} : { duplicateOf }),
      input: cellsByName(names, cells),
      outcome: outcomeOf(outcome),
      columns: cellsByName(configured, columns),
    })}\n`;
}

/** From entries, so that a column named __proto__ is one like the others. */
function cellsByName(names: readonly string[], cells: readonly string[]): object {
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""]));
}

function outcomeOf(outcome: SucceededOutcome): object {
  const { taskId, contextId, attempts, polls, artifacts, message, reusedFrom } = outcome;
  return {
    taskId,
    contextId,
    attempts,
    polls,
    submittedAt: isoTime(outcome.submittedAtMs),
    finishedAt: isoTime(outcome.finishedAtMs),
    source: sourceCell(outcome),
    ...(reusedFrom === undefined ? {} : { reusedFrom }),
    artifacts: artifacts.map(({ name, parts }) => ({ name, parts: parts.map(partOf) })),
    message: message.map(partOf),
  };
}

function partOf(part: OutcomePart): object {
  switch (part.kind) {
    case "text":
      return { text: part.text };
    case "data":
      return { data: part.data };
    case "url":
      return { url: part.url, filename: part.name, mediaType: part.mediaType };
    case "stored":
      return { path: part.path, filename: part.name, mediaType: part.mediaType };
    case "raw":
      // The collector stores files before the journal names them.
      return { filename: part.name, mediaType: part.mediaType };
  }
}
