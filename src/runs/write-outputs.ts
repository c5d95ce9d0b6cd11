import { rm } from "node:fs/promises";
import { isRetryable } from "../core/failure.ts";
import type { FailedOutcome, OutcomeFile, RowOutcome, SucceededOutcome } from "../core/outcome.ts";
import { contentOf } from "../core/outcome-content.ts";
import type { CsvColumn, CsvFile } from "../csv/write-csv.ts";
import { createCsvFile } from "../csv/write-csv.ts";
import { indexOutcomes } from "./journal-file.ts";
import type { RunFolder } from "./run-folder.ts";
import type { InputPlan, PlannedRow } from "./scan-input.ts";
import { planRows } from "./scan-input.ts";

/** Why rows without outcome have none. */
export type UnprocessedReason = "CANCELED" | "STOPPED" | "PENDING";

export interface OutputRequest {
  readonly runId: string;
  readonly folder: RunFolder;
  readonly plan: InputPlan;
  readonly unprocessed: UnprocessedReason;
  /** For rows that failed when read, ISO 8601. */
  readonly readAt: string;
}

const OUR_COLUMNS = {
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

type OutputName = keyof typeof OUR_COLUMNS;

/** Columns whose cells hold what the agent said; they are escaped against formulas. Codes are always numbers. */
const AGENT_COLUMNS: ReadonlySet<string> = new Set([
  "onboard_task_id",
  "onboard_context_id",
  "onboard_artifact_name",
  "onboard_text",
  "onboard_data",
  "onboard_files",
  "onboard_message",
  "onboard_question",
]);

/** Rows in each file. */
export type OutputCounts = Readonly<Record<OutputName, number>>;

/**
 * Makes the output files from the input and the journal: every input row in exactly one of them, in
 * input order. Each file appears whole, by rename.
 *
 * @throws OnboardError exit 5 when the disk does not take them
 */
export async function writeOutputs(request: OutputRequest): Promise<OutputCounts> {
  const outcomes = await indexOutcomes(request.folder.journal);
  const files = createOutputSet(request);
  try {
    for await (const batch of planRows(request.plan)) {
      for (const row of batch) {
        const outcome = row.kind === "message" ? await outcomes.read(row.firstRow) : undefined;
        const { line, cells } = row.record;
        const head = [...cells, request.runId, String(row.record.row), String(line)];
        const [name, tail] = placeRow(row, outcome, request);
        await files.write(name, [...head, ...tail]);
      }
    }
    return await files.close();
  } catch (error) {
    await files.discard();
    throw error;
  } finally {
    await outcomes.close();
  }
}

function placeRow(
  row: PlannedRow,
  outcome: RowOutcome | undefined,
  request: OutputRequest,
): [OutputName, readonly string[]] {
  if (row.kind === "bad") return ["failures", readFailureCells(row, request.readAt)];
  if (outcome === undefined) return ["unprocessed", [request.unprocessed]];
  const duplicateOf = row.firstRow === row.record.row ? "" : String(row.firstRow);
  switch (outcome.kind) {
    case "succeeded":
      return ["results", resultCells(outcome, duplicateOf)];
    case "failed":
      return ["failures", failureCells(outcome, duplicateOf)];
    case "needs-input":
      return ["needsInput", [outcome.taskId, outcome.contextId, outcome.question, ""]];
  }
}

function readFailureCells(row: Extract<PlannedRow, { kind: "bad" }>, readAt: string): string[] {
  const { failure, raw } = row.record;
  const { reason, message } = failure;
  return ["read", reason, "", message, String(isRetryable(reason)), "", "0", readAt, "", raw];
}

function resultCells(outcome: SucceededOutcome, duplicateOf: string): string[] {
  const { artifactName, text, data, files } = contentOf(outcome);
  return [
    outcome.taskId,
    outcome.contextId,
    String(outcome.attempts),
    String(outcome.polls),
    iso(outcome.submittedAtMs),
    iso(outcome.finishedAtMs),
    duplicateOf,
    outcome.source,
    artifactName,
    text,
    dataCell(data),
    JSON.stringify(files.map(fileCell)),
  ];
}

function failureCells(outcome: FailedOutcome, duplicateOf: string): string[] {
  return [
    outcome.stage,
    outcome.reason,
    outcome.code,
    outcome.message,
    String(isRetryable(outcome.reason)),
    outcome.taskId,
    String(outcome.attempts),
    iso(outcome.finishedAtMs),
    duplicateOf,
    "",
  ];
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

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

interface OutputSet {
  write(name: OutputName, cells: readonly string[]): Promise<void>;
  close(): Promise<OutputCounts>;
  discard(): Promise<void>;
}

/** results and failures are always there; needs-input and unprocessed only if any row is in them. */
function createOutputSet({ folder, plan }: OutputRequest): OutputSet {
  const counts: Record<OutputName, number> = {
    results: 0,
    failures: 0,
    needsInput: 0,
    unprocessed: 0,
  };
  const open = new Map<OutputName, Promise<CsvFile>>();
  const { header } = plan.input.shape;
  const inputColumns = header.map((name): CsvColumn => ({ name, origin: "user" }));
  const oursBefore = ["onboard_run_id", "onboard_row", "onboard_line"];

  function file(name: OutputName): Promise<CsvFile> {
    let opening = open.get(name);
    if (opening === undefined) {
      const ours = [...oursBefore, ...OUR_COLUMNS[name]].map(
        (column): CsvColumn => ({
          name: column,
          origin: AGENT_COLUMNS.has(column) ? "agent" : "ours",
        }),
      );
      opening = createCsvFile({ path: folder[name], columns: [...inputColumns, ...ours] });
      open.set(name, opening);
    }
    return opening;
  }

  return {
    async write(name, cells) {
      counts[name] += 1;
      await (await file(name)).write(cells);
    },
    async close() {
      await Promise.all([file("results"), file("failures")]);
      for (const opening of open.values()) await (await opening).close();
      for (const name of ["needsInput", "unprocessed"] as const) {
        if (!open.has(name)) await rm(folder[name], { force: true });
      }
      return counts;
    },
    async discard() {
      for (const opening of open.values()) await (await opening).discard();
    },
  };
}
