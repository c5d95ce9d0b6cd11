import { createDuplicateFinder } from "../core/duplicates.ts";
import type { FailureReason } from "../core/failure.ts";
import type { InputRow } from "../core/input.ts";
import type { MessageTemplate } from "../core/message-template.ts";
import { renderMessage } from "../core/message-template.ts";
import type { InputFacts } from "../core/summary.ts";
import type { OpenInput } from "../csv/read-input.ts";

/** How a run reads its input: alike in every pass, so that each pass sees the same rows. */
export interface InputPlan {
  readonly input: OpenInput;
  readonly template: MessageTemplate;
  readonly dedupe: boolean;
  /** Only the first so many rows; undefined for all. */
  readonly rowLimit: number | undefined;
}

/** A row as the run sees it. */
export type PlannedRow =
  | { readonly kind: "bad"; readonly record: Extract<InputRow, { kind: "bad" }> }
  | {
      readonly kind: "message";
      readonly record: Extract<InputRow, { kind: "partner" }>;
      readonly text: string;
      /** First row with the same message; the row itself when there is none before it. */
      readonly firstRow: number;
    };

/**
 * The rows of the input in order, each with its message and its duplicate.
 *
 * @yields batches of rows
 */
export async function* planRows(
  plan: InputPlan,
  signal?: AbortSignal,
): AsyncIterable<readonly PlannedRow[]> {
  const duplicates = plan.dedupe ? createDuplicateFinder() : undefined;
  const limit = plan.rowLimit ?? Number.POSITIVE_INFINITY;
  for await (const batch of plan.input.rows(signal)) {
    yield batch
      .filter(({ row }) => row <= limit)
      .map((record): PlannedRow => {
        if (record.kind === "bad") return { kind: "bad", record };
        const text = renderMessage(plan.template, record.partner);
        const firstRow = duplicates?.firstRowOf(text, record.row) ?? record.row;
        return { kind: "message", record, text, firstRow };
      });
    if ((batch.at(-1)?.row ?? 0) >= limit) return;
  }
}

/** What the first pass over the input finds, before anything is sent. */
export interface InputScan {
  readonly total: number;
  readonly failedWhenRead: ReadonlyMap<FailureReason, number>;
  /** Rows that are answered with a row before them. */
  readonly duplicates: number;
  /** Row -> rows that its answer answers; only rows that have duplicates. */
  readonly weights: ReadonlyMap<number, number>;
}

/** Reads the whole input once: the total is known before the first call. */
export async function scanInput(plan: InputPlan, signal?: AbortSignal): Promise<InputScan> {
  let total = 0;
  let duplicates = 0;
  const failedWhenRead = new Map<FailureReason, number>();
  const weights = new Map<number, number>();
  for await (const batch of planRows(plan, signal)) {
    total += batch.length;
    for (const row of batch) {
      if (row.kind === "bad") {
        const { reason } = row.record.failure;
        failedWhenRead.set(reason, (failedWhenRead.get(reason) ?? 0) + 1);
      } else if (row.firstRow !== row.record.row) {
        duplicates += 1;
        weights.set(row.firstRow, (weights.get(row.firstRow) ?? 1) + 1);
      }
    }
  }
  return { total, failedWhenRead, duplicates, weights };
}

/** Rows that failed before anything was sent. */
export function countFailedWhenRead(scan: InputScan): number {
  return [...scan.failedWhenRead.values()].reduce((sum, count) => sum + count, 0);
}

/** What summary.json tells of the input. */
export function inputFactsOf(
  plan: InputPlan,
  source: { readonly file: string; readonly sha256: string; readonly rows: number },
): InputFacts {
  const { encoding, delimiter, warnings } = plan.input.shape;
  return { ...source, encoding, delimiter, skipped: [], warnings };
}
