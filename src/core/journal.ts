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

/** Rows whose outcomes so far count no more: they are sent again. */
export interface RetryLine {
  readonly type: "retry";
  /** 1 for the first time that the run was reopened. */
  readonly round: number;
  readonly rows: readonly number[];
}

/** The first try group of the messages of a round; each round has two, see the track policy. */
export function tryGroupOfRound(round: number): number {
  return 2 * round;
}

export type JournalLine =
  | JournalHeader
  | RetryLine
  | { readonly type: "outcome"; readonly outcome: RowOutcome };

/** A line of the journal, or undefined for one that is damaged (a torn last line). */
export function parseJournalLine(line: string): JournalLine | undefined {
  try {
    const parsed = parseOwnJson<JournalLine | null>(line);
    if (parsed?.type === "run" || parsed?.type === "retry") return parsed;
    if (parsed?.type !== "outcome") return undefined;
    return { ...parsed, outcome: currentOutcome(parsed.outcome) };
  } catch {
    return undefined;
  }
}
