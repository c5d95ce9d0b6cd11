import type { ExitCode } from "./exit-code.ts";
import { EXIT } from "./exit-code.ts";
import type { Progress, RunStatus, StatusReason } from "./progress.ts";
import type { SkippedLine } from "./reading-notes.ts";

/** What was found about the input; told in summary.json. */
export interface InputFacts {
  readonly file: string;
  readonly sha256: string;
  /** Data records, those beyond `--limit` not included. */
  readonly rows: number;
  readonly encoding: string;
  readonly delimiter: string;
  /** Lines of the file that are no rows. */
  readonly skipped: readonly SkippedLine[];
  readonly warnings: readonly string[];
}

/** summary.json, and what `--json` prints; public. Times are ISO 8601 UTC, empty when not yet. */
export interface RunSummaryFile {
  readonly schemaVersion: 1;
  readonly runId: string;
  readonly status: RunStatus;
  readonly statusReason: StatusReason;
  readonly input: InputFacts;
  readonly rows: {
    readonly total: number;
    readonly pending: number;
    readonly open: number;
    readonly succeeded: number;
    readonly failed: number;
    readonly needsInput: number;
    readonly unprocessed: number;
  };
  /** Of the succeeded rows those with an answer of an earlier run, for which no call was made. */
  readonly reused: number;
  readonly failuresByReason: Readonly<Record<string, number>>;
  readonly calls: {
    readonly sendMessage: number;
    readonly getTask: number;
    readonly cancelTask: number;
    readonly retries: number;
    readonly rateLimited: number;
  };
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string;
  /** Names of the files that lie in the run's folder. */
  readonly files: readonly string[];
}

export interface SummaryFacts {
  readonly runId: string;
  readonly progress: Progress;
  readonly input: InputFacts;
  readonly failuresByReason: Readonly<Record<string, number>>;
  readonly files: readonly string[];
}

/** Puts a run's summary together. */
export function buildSummary(facts: SummaryFacts): RunSummaryFile {
  const { runId, progress, input, failuresByReason, files } = facts;
  const { total, pending, open, succeeded, failed, needsInput, unprocessed } = progress;
  return {
    schemaVersion: 1,
    runId,
    status: progress.status,
    statusReason: progress.statusReason,
    input,
    rows: { total, pending, open, succeeded, failed, needsInput, unprocessed },
    reused: progress.reused,
    failuresByReason,
    calls: {
      sendMessage: progress.sendMessageCalls,
      getTask: progress.getTaskCalls,
      cancelTask: progress.cancelTaskCalls,
      retries: progress.retries,
      rateLimited: progress.rateLimited,
    },
    startedAt: progress.startedAt,
    updatedAt: progress.updatedAt,
    finishedAt: progress.finishedAt,
    files,
  };
}

/** The exit code of a settled run. */
export function exitCodeOf(
  run: Pick<RunSummaryFile, "status"> & {
    readonly rows: { readonly failed: number; readonly needsInput: number };
  },
): ExitCode {
  if (run.status === "stopped" || run.status === "canceled") return EXIT.stopped;
  return run.rows.failed + run.rows.needsInput > 0 ? EXIT.rowsFailed : EXIT.ok;
}
