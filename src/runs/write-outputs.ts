import type { OutputForm } from "../core/output-form.ts";
import type { OutcomesByRow } from "./journal-file.ts";
import { indexOutcomes } from "./journal-file.ts";
import { createLineMaker } from "./jsonl-line.ts";
import type { Placing } from "./output-cells.ts";
import { placeRow } from "./output-cells.ts";
import type { OutputCounts, OutputSet } from "./output-set.ts";
import { createOutputSet } from "./output-set.ts";
import type { RunFolder } from "./run-folder.ts";
import type { InputPlan, PlannedRow } from "./scan-input.ts";
import { planRows } from "./scan-input.ts";

export interface OutputRequest extends Placing {
  readonly runId: string;
  readonly folder: RunFolder;
  readonly plan: InputPlan;
  readonly form: OutputForm;
}

/**
 * Makes the output files from the input and the journal: every input row in exactly one of the CSV
 * files, in input order. Each file appears whole, by rename.
 *
 * @throws OnboardError exit 5 when the disk does not take them
 */
export async function writeOutputs(request: OutputRequest): Promise<OutputCounts> {
  const { folder, plan, form } = request;
  const { header } = plan.input.shape;
  const outcomes = await indexOutcomes(folder.journal);
  const files = createOutputSet({ folder, header, form });
  const writing = { request, outcomes, files, toLine: createLineMaker(header) };
  try {
    for await (const batch of planRows(plan)) {
      for (const row of batch) await writeRow(writing, row);
    }
    return await files.close();
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
  readonly toLine: ReturnType<typeof createLineMaker>;
}

async function writeRow(
  { request, outcomes, files, toLine }: Writing,
  planned: PlannedRow,
): Promise<void> {
  const { runId, form } = request;
  const outcome = planned.kind === "message" ? await outcomes.read(planned.firstRow) : undefined;
  const placed = placeRow(planned, outcome, request);
  const { row, line, cells } = planned.record;
  await files.write(placed.file, [...cells, runId, String(row), String(line), ...placed.cells]);
  if (placed.file !== "results" || !form.jsonl || planned.kind === "bad") return;
  const duplicateOf = planned.firstRow === row ? undefined : planned.firstRow;
  await files.writeJsonl(toLine({ runId, row, line, duplicateOf, cells, outcome: placed.outcome }));
}
