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

/** A person's answer to a task that waits for input. */
export interface RowReply {
  readonly row: number;
  readonly taskId: string;
  readonly contextId: string;
  readonly text: string;
}

/** Rows whose outcomes so far count no more: they are sent again, or their tasks are answered. */
export interface RetryLine {
  readonly type: "retry";
  /** 1 for the first time that the run was reopened. */
  readonly round: number;
  readonly rows: readonly number[];
  /** For those of the rows whose task is answered instead of a new one made. */
  readonly replies?: readonly RowReply[];
}

/**
 * The try group of a row's message in a round. Each round has two, see the track policy: a task that
 * was answered and is lost then cannot be answered again, so that it begins in the second.
 */
export function tryGroupOfRound(round: number, isReply: boolean): number {
  return 2 * round + (isReply ? 1 : 0);
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
