import type { OutputForm } from "../core/output-form.ts";
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
  /** Lines for people. */
  readonly warn: (text: string) => void;
}

/**
 * Makes the output files from the input and the journal: every input row in exactly one of the CSV
 * files, in input order. Each file appears whole, by rename.
 *
 * @throws OnboardError exit 5 when the disk does not take them
 */
export async function writeOutputs(request: OutputRequest): Promise<OutputCounts> {
  const { folder, plan, form, warn } = request;
  const { header } = plan.input.shape;
  const outcomes = await indexOutcomes(folder.journal);
  const configured = columnNames(header, form);
  const files = createOutputSet({ folder, header, configured, form });
  const results = createResultRows(files, header, form);
  try {
    for await (const batch of planRows(plan)) {
      for (const row of batch) await writeRow({ request, outcomes, files, results }, row);
    }
    await results.flush();
    const counts = await files.close();
    for (const warning of results.warnings()) warn(warning);
    return counts;
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
}

async function writeRow(
  { request, outcomes, files, results }: Writing,
  planned: PlannedRow,
): Promise<void> {
  const { runId } = request;
  const outcome = planned.kind === "message" ? await outcomes.read(planned.firstRow) : undefined;
  const placed = placeRow(planned, outcome, request);
  const { row, line, cells } = planned.record;
  if (placed.file === "results") {
    const { duplicateOf } = placed;
    await results.add({ runId, row, line, duplicateOf, cells, placed });
  } else {
    await files.write(placed.file, [...cells, runId, String(row), String(line), ...placed.cells]);
  }
}
