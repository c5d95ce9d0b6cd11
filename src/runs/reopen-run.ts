import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { isRetryable } from "../core/failure.ts";
import type { RetryLine, RowReply } from "../core/journal.ts";
import { isSettled } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RunBeginning, RunLimits, RunRecord } from "../redis/run-record.ts";
import { openJournal, readOutcomes, readReopened } from "./journal-file.ts";
import type { RunFolder } from "./run-folder.ts";

/** Which failed rows of a settled run are sent again. */
export type RetryChoice = "retryable" | "all";

/** A person's answer to a task. */
export interface TaskAnswer {
  readonly taskId: string;
  readonly text: string;
}

/** How a settled run is to go on. */
export type Reopening = { readonly limits: RunLimits } & (
  | { readonly kind: "retry"; readonly choice: RetryChoice }
  | { readonly kind: "answer"; readonly answers: readonly TaskAnswer[] }
);

interface ReopenedRun {
  readonly settings: RunSettings;
  readonly folder: RunFolder;
  readonly record: RunRecord;
}

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

/** The rows whose tasks wait for an answer that was given. */
export async function findReplies(
  { journal }: Pick<RunFolder, "journal">,
  answers: readonly TaskAnswer[],
): Promise<readonly RowReply[]> {
  const texts = new Map(answers.map(({ taskId, text }) => [taskId, text]));
  const replies: RowReply[] = [];
  for await (const { outcome } of readOutcomes(journal)) {
    const { row, taskId, contextId } = outcome;
    const text = outcome.kind === "needs-input" ? texts.get(taskId) : undefined;
    if (text !== undefined) replies.push({ row, taskId, contextId, text });
  }
  return replies;
}

/**
 * Reopens a run: the journal first, for it wins over Redis, and the summary last, since one that says
 * settled ends every start. A crash between leaves a run that the same command goes on with; one that
 * goes on already is left as it is.
 */
export async function reopenRun(
  run: ReopenedRun,
  reopening: Reopening,
  withoutLimits: RunBeginning,
): Promise<void> {
  const { folder, record } = run;
  const progress = await record.progress();
  const isForgotten = progress === undefined || progress.status === "ingesting";
  if (isForgotten || isSettled(progress.status)) {
    await journalReopening(run, reopening);
    const beginning = { ...withoutLimits, limits: reopening.limits };
    if (!(await record.reopen(beginning))) await record.begin(beginning);
  }
  await rm(folder.summary, { force: true });
}

async function journalReopening(
  { settings, folder }: ReopenedRun,
  reopening: Reopening,
): Promise<void> {
  const rounds = Array.from((await readReopened(folder.journal)).values(), ({ round }) => round);
  const round = 1 + rounds.reduce((a, b) => Math.max(a, b), 0);
  const lines = await reopeningLines(folder, reopening);
  const journal = await openJournal(folder.journal, { type: "run", settings, host: hostname() });
  try {
    for (const line of lines) await journal.appendRetry({ round, ...line });
  } finally {
    await journal.close();
  }
}

type ReopeningLine = Omit<RetryLine, "type" | "round">;

async function reopeningLines(
  folder: RunFolder,
  reopening: Reopening,
): Promise<readonly ReopeningLine[]> {
  if (reopening.kind === "retry") {
    const rows = await findRetryRows(folder, reopening.choice);
    return inPieces(rows).map((piece) => ({ rows: piece }));
  }
  const replies = await findReplies(folder, reopening.answers);
  return inPieces(replies).map((piece) => ({ rows: [], replies: piece }));
}

/** Long lines would be torn more often, and cost memory. */
const ROWS_PER_LINE = 10_000;

function inPieces<T>(items: readonly T[]): readonly (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / ROWS_PER_LINE) }, (_, index) =>
    items.slice(index * ROWS_PER_LINE, (index + 1) * ROWS_PER_LINE),
  );
}
