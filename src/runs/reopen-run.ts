import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { isRetryable } from "../core/failure.ts";
import { isSettled } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RunBeginning, RunLimits, RunRecord } from "../redis/run-record.ts";
import { openJournal, readOutcomes, readReopened } from "./journal-file.ts";
import type { RunFolder } from "./run-folder.ts";

/** Which failed rows of a settled run are sent again. */
export type RetryChoice = "retryable" | "all";

/** How a settled run is to go on. */
export interface Reopening {
  readonly choice: RetryChoice;
  readonly limits: RunLimits;
}

interface ReopenedRun {
  readonly settings: RunSettings;
  readonly folder: RunFolder;
  readonly record: RunRecord;
}

/** Long lines would be torn more often, and cost memory. */
const ROWS_PER_LINE = 10_000;

/** The rows whose failure a retry would send again. */
export async function findRetryRows(
  { journal }: Pick<RunFolder, "journal">,
  choice: RetryChoice,
): Promise<readonly number[]> {
  const rows: number[] = [];
  for await (const { outcome } of readOutcomes(journal)) {
    if (outcome.kind !== "failed") continue;
    if (choice === "all" || isRetryable(outcome.reason)) rows.push(outcome.row);
  }
  return rows;
}

/**
 * Reopens a run: the journal first, for it wins over Redis, and the summary last, since one that says
 * settled ends every start. A crash between leaves a run that the same command goes on with; one that
 * goes on already is left as it is.
 */
export async function reopenRun(
  { settings, folder, record }: ReopenedRun,
  { choice, limits }: Reopening,
  beginning: RunBeginning,
): Promise<void> {
  const progress = await record.progress();
  const isForgotten = progress === undefined || progress.status === "ingesting";
  if (isForgotten || isSettled(progress.status)) {
    await journalRetry(settings, folder, choice);
    const reopened = await record.reopen({ ...beginning, limits });
    if (!reopened) await record.begin({ ...beginning, limits });
  }
  await rm(folder.summary, { force: true });
}

async function journalRetry(
  settings: RunSettings,
  folder: RunFolder,
  choice: RetryChoice,
): Promise<void> {
  const rows = await findRetryRows(folder, choice);
  const rounds = Array.from((await readReopened(folder.journal)).values(), ({ round }) => round);
  const round = 1 + rounds.reduce((a, b) => Math.max(a, b), 0);
  const journal = await openJournal(folder.journal, { type: "run", settings, host: hostname() });
  try {
    for (let from = 0; from < rows.length; from += ROWS_PER_LINE) {
      await journal.appendRetry({ round, rows: rows.slice(from, from + ROWS_PER_LINE) });
    }
  } finally {
    await journal.close();
  }
}
