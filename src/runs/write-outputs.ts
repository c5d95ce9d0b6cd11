import type { RowOutcome } from "../core/outcome.ts";
import type { OutputForm } from "../core/output-form.ts";
import type { RowEnding, RunStory, StoryTeller } from "../core/run-story.ts";
import { createStoryTeller } from "../core/run-story.ts";
import type { OutcomesByRow } from "./journal-file.ts";
import { indexOutcomes } from "./journal-file.ts";
import type { Placing } from "./output-cells.ts";
import { placeRow } from "./output-cells.ts";
import type { OutputCounts, OutputSet } from "./output-set.ts";
import { createOutputSet } from "./output-set.ts";
import type { ResultRows } from "./result-rows.ts";
import { columnNames, createResultRows } from "./result-rows.ts";
import type { RunFolder } from "./run-folder.ts";
import type { InputPlan, PlannedRow } from "./scan-input.ts";
import { planRows } from "./scan-input.ts";

export interface OutputRequest extends Placing {
  readonly runId: string;
  readonly folder: RunFolder;
  readonly plan: InputPlan;
  readonly form: OutputForm;
  /** Called with each outcome and what was asked for it; a duplicate has none of its own. */
  readonly keep?: KeepAnswer;
}

export type KeepAnswer = (text: string, outcome: RowOutcome) => Promise<void>;

/** What was written, told for the report. */
export interface WrittenOutputs {
  readonly counts: OutputCounts;
  readonly story: RunStory;
  /** Lines for people about cells that stayed empty. */
  readonly warnings: readonly string[];
}

/**
 * Makes the output files from the input and the journal: every input row in exactly one of the CSV
 * files, in input order. Each file appears whole, by rename.
 *
 * @throws OnboardError exit 5 when the disk does not take them
 */
export async function writeOutputs(
  request: OutputRequest,
  stopSignal?: AbortSignal,
): Promise<WrittenOutputs> {
  const { folder, plan, form } = request;
  const { header } = plan.input.shape;
  const outcomes = await indexOutcomes(folder.journal);
  const configured = columnNames(header, form);
  const files = createOutputSet({ folder, header, configured, form });
  const results = createResultRows(files, header, form);
  const teller = createStoryTeller();
  try {
    for await (const batch of planRows(plan, stopSignal)) {
      for (const row of batch) await writeRow({ request, outcomes, files, results, teller }, row);
    }
    await results.flush();
    const counts = await files.close();
    return { counts, story: teller.story(), warnings: results.warnings() };
  } catch (error) {
    await files.discard();
    throw error;
  } finally {
    await outcomes.close();
  }
}

interface Writing {
  readonly request: OutputRequest;
  readonly outcomes: OutcomesByRow;
  readonly files: OutputSet;
  readonly results: ResultRows;
  readonly teller: StoryTeller;
}

async function writeRow(
  { request, outcomes, files, results, teller }: Writing,
  planned: PlannedRow,
): Promise<void> {
  const { runId } = request;
  const outcome = planned.kind === "message" ? await outcomes.read(planned.firstRow) : undefined;
  if (planned.kind === "message" && outcome !== undefined && !isDuplicate(planned)) {
    await request.keep?.(planned.text, outcome);
  }
  const placed = placeRow(planned, outcome, request);
  const { row, line, cells } = planned.record;
  teller.add({ row, line, ending: endingOf(planned, outcome) });
  if (placed.file === "results") {
    const { duplicateOf } = placed;
    await results.add({ runId, row, line, duplicateOf, cells, placed });
  } else {
    await files.write(placed.file, [...cells, runId, String(row), String(line), ...placed.cells]);
  }
}

function endingOf(planned: PlannedRow, outcome: RowOutcome | undefined): RowEnding {
  if (planned.kind === "bad") return { kind: "bad", ...planned.record.failure };
  if (outcome === undefined) return { kind: "none" };
  return { kind: "outcome", outcome, isDuplicate: isDuplicate(planned) };
}

function isDuplicate({ firstRow, record }: Extract<PlannedRow, { kind: "message" }>): boolean {
  return firstRow !== record.row;
}
