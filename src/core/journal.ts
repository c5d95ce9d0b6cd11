import type { RowOutcome } from "./outcome.ts";
import { currentOutcome } from "./outcome-content.ts";
import { parseOwnJson } from "./own-json.ts";
import type { RunSettings } from "./run-settings.ts";

/** First line of a journal: enough to go on with the run when Redis has forgotten it. */
export interface JournalHeader {
  readonly type: "run";
  readonly settings: RunSettings;
  /** Where the journal was begun. */
  readonly host: string;
}

/** The journal line of an outcome, from its stored JSON; without the line end. */
export function outcomeLine(outcomeJson: string): string {
  return `{"type":"outcome","outcome":${outcomeJson}}`;
}

export type JournalLine =
  | JournalHeader
  | { readonly type: "outcome"; readonly outcome: RowOutcome };

/** A line of the journal, or undefined for one that is damaged (a torn last line). */
export function parseJournalLine(line: string): JournalLine | undefined {
  try {
    const parsed = parseOwnJson<JournalLine>(line);
    return parsed.type === "run" ? parsed : { ...parsed, outcome: currentOutcome(parsed.outcome) };
  } catch {
    return undefined;
  }
}
