import { createDuplicateFinder } from "../core/duplicates.ts";
import type { FailureReason } from "../core/failure.ts";
import type { InputRow } from "../core/input.ts";
import type { MessageTemplate } from "../core/message-template.ts";
import { renderMessage } from "../core/message-template.ts";
import type { ReadingNotes, SkippedLine } from "../core/reading-notes.ts";
import { createReadingNotes } from "../core/reading-notes.ts";
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
 * @param notes takes what the pass notices
 * @yields batches of rows
 */
export async function* planRows(
  plan: InputPlan,
  signal?: AbortSignal,
  notes?: ReadingNotes,
): AsyncIterable<readonly PlannedRow[]> {
  const duplicates = plan.dedupe ? createDuplicateFinder() : undefined;
  const limit = plan.rowLimit ?? Number.POSITIVE_INFINITY;
  for await (const batch of plan.input.rows(signal, notes)) {
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
  /** What was guessed, repaired or looks wrong in the rows, in words for people. */
  readonly warnings: readonly string[];
  /** Lines that are no rows. */
  readonly skipped: readonly SkippedLine[];
}

/** Reads the whole input once: the total is known before the first call. */
export async function scanInput(plan: InputPlan, signal?: AbortSignal): Promise<InputScan> {
  let total = 0;
  let duplicates = 0;
  const failedWhenRead = new Map<FailureReason, number>();
  const weights = new Map<number, number>();
  const notes = createReadingNotes();
  const noteId = createIdWatch(notes);
  for await (const batch of planRows(plan, signal, notes)) {
    total += batch.length;
    for (const row of batch) {
      if (row.kind === "bad") {
        const { reason } = row.record.failure;
        failedWhenRead.set(reason, (failedWhenRead.get(reason) ?? 0) + 1);
        continue;
      }
      noteId(row);
      if (row.firstRow === row.record.row) continue;
      duplicates += 1;
      weights.set(row.firstRow, (weights.get(row.firstRow) ?? 1) + 1);
    }
  }
  const [warnings, skipped] = [notes.warnings(), notes.skipped()];
  return { total, failedWhenRead, duplicates, weights, warnings, skipped };
}

/** Notes an internal id that stands for two different partners; both are sent. */
export function createIdWatch(
  notes: ReadingNotes,
): (row: Extract<PlannedRow, { kind: "message" }>) => void {
  const ids = createDuplicateFinder();
  return ({ record, firstRow }) => {
    const { internalId } = record.partner;
    if (internalId === undefined) return;
    const first = ids.firstRowOf(internalId, record.row);
    // A duplicate of an earlier row has the same data, whichever of them had the id first.
    if (first === record.row || firstRow !== record.row) return;
    notes.line = record.line;
    notes.add("The internalId is that of an earlier row with other data");
  };
}

/** What is said on the way about rows and lines that were left out. */
export function scanWarnings({ warnings, skipped }: InputScan): readonly string[] {
  const [first] = skipped;
  if (first === undefined) return warnings;
  const count = skipped.length === 1 ? "One line is" : `${skipped.length} lines are`;
  return [
    ...warnings,
    `${count} no row and left out, the first on line ${first.line} (${first.why}); summary.json lists them.`,
  ];
}

/** Rows that failed before anything was sent. */
export function countFailedWhenRead(scan: InputScan): number {
  return [...scan.failedWhenRead.values()].reduce((sum, count) => sum + count, 0);
}

/** What summary.json tells of the input. */
export function inputFactsOf(
  plan: InputPlan,
  source: { readonly file: string; readonly sha256: string; readonly rows: number },
  pass: Pick<InputScan, "warnings" | "skipped">,
): InputFacts {
  const { encoding, delimiter, warnings, skipped } = plan.input.shape;
  return {
    ...source,
    encoding,
    delimiter,
    skipped: [...skipped, ...pass.skipped],
    warnings: [...warnings, ...pass.warnings],
  };
}
