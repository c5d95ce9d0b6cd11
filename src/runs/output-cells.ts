import { isRetryable } from "../core/failure.ts";
import type { FailedOutcome, OutcomeFile, RowOutcome, SucceededOutcome } from "../core/outcome.ts";
import type { OutcomeContent } from "../core/outcome-content.ts";
import { contentOf } from "../core/outcome-content.ts";
import type { PlannedRow } from "./scan-input.ts";

/** Why rows without outcome have none. */
export type UnprocessedReason = "CANCELED" | "STOPPED" | "PENDING";

/** Columns of every output file behind the input's own. */
export const COMMON_COLUMNS = ["onboard_run_id", "onboard_row", "onboard_line"] as const;

/** File -> its columns behind the common ones. */
export const OUR_COLUMNS = {
  results: [
    "onboard_task_id",
    "onboard_context_id",
    "onboard_attempts",
    "onboard_polls",
    "onboard_submitted_at",
    "onboard_finished_at",
    "onboard_duplicate_of",
    "onboard_source",
    "onboard_artifact_name",
    "onboard_text",
    "onboard_data",
    "onboard_files",
  ],
  failures: [
    "onboard_stage",
    "onboard_reason",
    "onboard_code",
    "onboard_message",
    "onboard_retryable",
    "onboard_task_id",
    "onboard_attempts",
    "onboard_finished_at",
    "onboard_duplicate_of",
    "onboard_raw",
  ],
  needsInput: ["onboard_task_id", "onboard_context_id", "onboard_question", "onboard_answer"],
  unprocessed: ["onboard_reason"],
} as const;

export type OutputName = keyof typeof OUR_COLUMNS;

/** Columns whose cells hold what the agent said; they are escaped against formulas. Codes are always numbers. */
export const AGENT_COLUMNS: ReadonlySet<string> = new Set([
  "onboard_task_id",
  "onboard_context_id",
  "onboard_artifact_name",
  "onboard_text",
  "onboard_data",
  "onboard_files",
  "onboard_message",
  "onboard_question",
]);

/** Where a row belongs, with its cells behind the common ones. */
export type PlacedRow =
  | { readonly file: Exclude<OutputName, "results">; readonly cells: readonly string[] }
  | {
      readonly file: "results";
      readonly cells: readonly string[];
      readonly outcome: SucceededOutcome;
      readonly content: OutcomeContent;
      /** First row with the same message; undefined when that is the row itself. */
      readonly duplicateOf: number | undefined;
    };

export interface Placing {
  readonly unprocessed: UnprocessedReason;
  /** For rows that failed when read, ISO 8601. */
  readonly readAt: string;
}

/** Puts a row into exactly one of the files. */
export function placeRow(
  row: PlannedRow,
  outcome: RowOutcome | undefined,
  { unprocessed, readAt }: Placing,
): PlacedRow {
  if (row.kind === "bad") return { file: "failures", cells: readFailureCells(row, readAt) };
  if (outcome === undefined) return { file: "unprocessed", cells: [unprocessed] };
  const duplicateOf = row.firstRow === row.record.row ? undefined : row.firstRow;
  switch (outcome.kind) {
    case "succeeded": {
      const content = contentOf(outcome);
      const cells = resultCells(outcome, content, duplicateOf);
      return { file: "results", cells, outcome, content, duplicateOf };
    }
    case "failed":
      return { file: "failures", cells: failureCells(outcome, duplicateOf) };
    case "needs-input": {
      const { taskId, contextId, question } = outcome;
      return { file: "needsInput", cells: [taskId, contextId, question, ""] };
    }
  }
}

function readFailureCells(row: Extract<PlannedRow, { kind: "bad" }>, readAt: string): string[] {
  const { failure, raw } = row.record;
  const { reason, message } = failure;
  return ["read", reason, "", message, String(isRetryable(reason)), "", "0", readAt, "", raw];
}

function resultCells(
  outcome: SucceededOutcome,
  { artifactName, text, data, files }: OutcomeContent,
  duplicateOf: number | undefined,
): string[] {
  return [
    outcome.taskId,
    outcome.contextId,
    String(outcome.attempts),
    String(outcome.polls),
    isoTime(outcome.submittedAtMs),
    isoTime(outcome.finishedAtMs),
    rowCell(duplicateOf),
    sourceCell(outcome),
    artifactName,
    text,
    dataCell(data),
    JSON.stringify(files.map(fileCell)),
  ];
}

function failureCells(outcome: FailedOutcome, duplicateOf: number | undefined): string[] {
  return [
    outcome.stage,
    outcome.reason,
    outcome.code,
    outcome.message,
    String(isRetryable(outcome.reason)),
    outcome.taskId,
    String(outcome.attempts),
    isoTime(outcome.finishedAtMs),
    rowCell(duplicateOf),
    "",
  ];
}

/** Where the result was found; `reused` when an earlier run was given it. */
export function sourceCell({ source, reusedFrom }: SucceededOutcome): string {
  return reusedFrom === undefined ? source : "reused";
}

function rowCell(row: number | undefined): string {
  return row === undefined ? "" : String(row);
}

/** One data part as it is, several as a list. */
function dataCell(data: readonly unknown[]): string {
  if (data.length === 0) return "";
  return JSON.stringify(data.length === 1 ? data[0] : data);
}

function fileCell(file: OutcomeFile): Record<string, string> {
  const { name, mediaType } = file;
  switch (file.kind) {
    case "url":
      return { name, mediaType, url: file.url };
    case "stored":
      return { name, mediaType, path: file.path };
    case "raw":
      // The collector stores files before the journal names them.
      return { name, mediaType };
  }
}

/** ms since the epoch as ISO 8601. */
export function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
