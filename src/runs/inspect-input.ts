import type { FailureReason } from "../core/failure.ts";
import type { ShapeReasons } from "../core/input.ts";
import { PARTNER_FIELDS, type PartnerField } from "../core/partner.ts";
import type { SkippedLine } from "../core/reading-notes.ts";
import { createReadingNotes } from "../core/reading-notes.ts";
import type { AskedRow } from "./earlier-answers.ts";
import { NO_EARLIER_ANSWERS } from "./earlier-answers.ts";
import type { InputPlan, PlannedRow } from "./scan-input.ts";
import { createIdWatch, planRows } from "./scan-input.ts";

/** Records that fail when they are read, by reason. */
interface BadRows {
  readonly reason: FailureReason;
  readonly count: number;
  /** Physical lines of the first five. */
  readonly lines: readonly number[];
}

/** Everything a dry run can tell of a partner file; nothing is sent or written for it. */
export interface InputInspection {
  readonly encoding: string;
  readonly delimiter: string;
  /** 0 when `--columns` named the columns. */
  readonly headerLine: number;
  /** Why encoding, delimiter and header are taken to be what they are. */
  readonly reasons: ShapeReasons;
  /** Fields that have columns, with the headers of these in joining order. */
  readonly mapping: readonly {
    readonly field: PartnerField;
    readonly headers: readonly string[];
  }[];
  readonly ignoredColumns: readonly string[];
  readonly rows: {
    readonly total: number;
    readonly bad: number;
    /** Answered with a row before them. */
    readonly duplicates: number;
    /** Different messages; a run sends those that are not reused. */
    readonly messages: number;
    /** Messages that have an answer of an earlier run which a run would take. */
    readonly reused: number;
  };
  readonly badRows: readonly BadRows[];
  /** In words for people, each with how often and its first five lines. */
  readonly warnings: readonly string[];
  /** Lines that are no rows. */
  readonly skipped: readonly SkippedLine[];
  /** The first message in full; `undefined` when no row can be sent. */
  readonly firstMessage: string | undefined;
}

const SHOWN_LINES = 5;

/** Reads a whole input and tells what a run would make of it. @throws OnboardError exit 2 */
export async function inspectInput(
  plan: InputPlan,
  signal?: AbortSignal,
  earlier = NO_EARLIER_ANSWERS,
): Promise<InputInspection> {
  const notes = createReadingNotes();
  const tally = createTally();
  const noteId = createIdWatch(notes);
  for await (const batch of planRows(plan, signal, notes)) {
    for (const row of batch) {
      tally.add(row);
      if (row.kind === "message") noteId(row);
    }
    tally.addReused(await earlier.count(askedIn(batch)));
  }
  const { shape } = plan.input;
  const { encoding, delimiter, headerLine, reasons, ignoredColumns } = shape;
  return {
    encoding,
    delimiter,
    headerLine,
    reasons,
    ignoredColumns,
    mapping: PARTNER_FIELDS.flatMap((field) => {
      const headers = (shape.mapping[field] ?? []).map((column) => shape.header[column] ?? "");
      return headers.length === 0 ? [] : [{ field, headers }];
    }),
    ...tally.result(),
    warnings: [...shape.warnings, ...notes.warnings()],
    skipped: [...shape.skipped, ...notes.skipped()],
  };
}

function askedIn(batch: readonly PlannedRow[]): readonly AskedRow[] {
  return batch.flatMap((planned) => {
    if (planned.kind === "bad" || planned.firstRow !== planned.record.row) return [];
    return [{ row: planned.record.row, text: planned.text }];
  });
}

function createTally() {
  const badRows = new Map<FailureReason, { count: number; readonly lines: number[] }>();
  const rows = { total: 0, bad: 0, duplicates: 0, messages: 0, reused: 0 };
  let firstMessage: string | undefined;

  function addBad(reason: FailureReason, line: number): void {
    const known = badRows.get(reason) ?? { count: 0, lines: [] };
    badRows.set(reason, known);
    known.count += 1;
    if (known.lines.length < SHOWN_LINES) known.lines.push(line);
  }

  return {
    add(row: PlannedRow): void {
      rows.total += 1;
      if (row.kind === "bad") {
        rows.bad += 1;
        addBad(row.record.failure.reason, row.record.line);
        return;
      }
      firstMessage ??= row.text;
      if (row.firstRow === row.record.row) rows.messages += 1;
      else rows.duplicates += 1;
    },
    addReused(messages: number): void {
      rows.reused += messages;
    },
    result: () => ({
      rows,
      badRows: [...badRows].map(([reason, { count, lines }]) => ({ reason, count, lines })),
      firstMessage,
    }),
  };
}
