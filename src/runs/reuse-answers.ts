import { setTimeout as delay } from "node:timers/promises";
import type { Ledger } from "../redis/ledger.ts";
import type { AskedRow, EarlierAnswers } from "./earlier-answers.ts";

export interface ReuseDeps {
  readonly earlier: EarlierAnswers;
  readonly ledger: Ledger;
  /** Row -> rows that its answer answers; only rows that have duplicates. */
  readonly weights: ReadonlyMap<number, number>;
  /** Called when outcomes wait for somebody to collect them. */
  readonly onBacklog: () => void;
}

/** Between two looks at the backlog; outcomes may have 1 MiB each. */
const PIECE_ROWS = 50;
const BACKLOG_WAIT_MS = 200;

/**
 * Records the answers of earlier runs as the outcomes of rows that were not sent yet. Waits while more outcomes than
 * may are in Redis already.
 *
 * @returns the rows that are done with it
 */
export async function reuseAnswers(
  deps: ReuseDeps,
  rows: readonly AskedRow[],
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const done = new Set<number>();
  for (let from = 0; from < rows.length; from += PIECE_ROWS) {
    const outcomes = await deps.earlier.find(rows.slice(from, from + PIECE_ROWS));
    if (outcomes.length === 0) continue;
    await waitForCollector(deps, signal);
    await Promise.all(
      outcomes.map((outcome) =>
        deps.ledger.recordOutcome(outcome, deps.weights.get(outcome.row) ?? 1, ""),
      ),
    );
    for (const { row } of outcomes) done.add(row);
  }
  return done;
}

async function waitForCollector(
  { ledger, onBacklog }: ReuseDeps,
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  while (await ledger.isBacklogFull()) {
    onBacklog();
    await delay(BACKLOG_WAIT_MS, undefined, { signal });
  }
}
