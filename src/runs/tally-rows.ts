import type { RowOutcome } from "../core/outcome.ts";
import { createReadingNotes, type SkippedLine } from "../core/reading-notes.ts";
import { indexOutcomes } from "./journal-file.ts";
import type { InputPlan, PlannedRow } from "./scan-input.ts";
import { planRows } from "./scan-input.ts";

/** What the input and the journal tell of a run: every row is in one of the first four counts. */
export interface RowTally {
  readonly succeeded: number;
  readonly failed: number;
  readonly needsInput: number;
  /** Rows that the journal has no outcome of. */
  readonly rest: number;
  /** Of the succeeded rows those with an answer of an earlier run. */
  readonly reused: number;
  readonly failuresByReason: Readonly<Record<string, number>>;
  /** Calls for rows that have their outcome; those for other rows nobody has written down. */
  readonly sendMessageCalls: number;
  readonly getTaskCalls: number;
  readonly retries: number;
  /** When the last outcome came, ms since the epoch; 0 when there is none. */
  readonly lastOutcomeAtMs: number;
  /** What the pass noticed about the input. */
  readonly warnings: readonly string[];
  readonly skipped: readonly SkippedLine[];
}

/** Counts a run's rows without Redis, in one pass over the input. */
export async function tallyRows(plan: InputPlan, journal: string): Promise<RowTally> {
  const tally = {
    counts: { succeeded: 0, failed: 0, needsInput: 0, rest: 0, reused: 0 },
    calls: { sendMessageCalls: 0, getTaskCalls: 0, retries: 0, lastOutcomeAtMs: 0 },
    failuresByReason: new Map<string, number>(),
  };
  const notes = createReadingNotes();
  const outcomes = await indexOutcomes(journal);
  try {
    for await (const batch of planRows(plan, undefined, notes)) {
      for (const row of batch) {
        const outcome = row.kind === "message" ? await outcomes.read(row.firstRow) : undefined;
        countRow(tally, row, outcome);
      }
    }
  } finally {
    await outcomes.close();
  }
  const failuresByReason = Object.fromEntries(tally.failuresByReason);
  const [warnings, skipped] = [notes.warnings(), notes.skipped()];
  return { ...tally.counts, ...tally.calls, failuresByReason, warnings, skipped };
}

interface OpenTally {
  readonly counts: {
    succeeded: number;
    failed: number;
    needsInput: number;
    rest: number;
    reused: number;
  };
  readonly calls: {
    sendMessageCalls: number;
    getTaskCalls: number;
    retries: number;
    lastOutcomeAtMs: number;
  };
  readonly failuresByReason: Map<string, number>;
}

function countRow(tally: OpenTally, row: PlannedRow, outcome: RowOutcome | undefined): void {
  const { counts } = tally;
  if (row.kind === "bad") {
    countFailure(tally, row.record.failure.reason);
    return;
  }
  if (outcome === undefined) {
    counts.rest += 1;
    return;
  }
  switch (outcome.kind) {
    case "succeeded":
      counts.succeeded += 1;
      if (outcome.reusedFrom !== undefined) counts.reused += 1;
      break;
    case "needs-input":
      counts.needsInput += 1;
      break;
    case "failed":
      countFailure(tally, outcome.reason);
  }
  // A duplicate is answered with the row before it and costs no call.
  if (row.firstRow === row.record.row) countCalls(tally, outcome);
}

function countFailure({ counts, failuresByReason }: OpenTally, reason: string): void {
  counts.failed += 1;
  failuresByReason.set(reason, (failuresByReason.get(reason) ?? 0) + 1);
}

function countCalls({ calls }: OpenTally, outcome: RowOutcome): void {
  calls.sendMessageCalls += outcome.attempts;
  calls.getTaskCalls += outcome.polls;
  calls.retries += Math.max(0, outcome.attempts - 1);
  calls.lastOutcomeAtMs = Math.max(calls.lastOutcomeAtMs, outcome.finishedAtMs);
}
