import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, writeFile } from "node:fs/promises";
import type { OutputForm } from "../core/output-form.ts";
import type { Progress } from "../core/progress.ts";
import type { InputFacts, RunSummaryFile } from "../core/summary.ts";
import { buildSummary } from "../core/summary.ts";
import type { UnprocessedReason } from "./output-cells.ts";
import type { RunFolder } from "./run-folder.ts";
import { listOutputFiles } from "./run-folder.ts";
import type { InputPlan } from "./scan-input.ts";
import { writeOutputs } from "./write-outputs.ts";

export interface FinishRequest {
  readonly runId: string;
  readonly folder: RunFolder;
  readonly plan: InputPlan;
  readonly form: OutputForm;
  /** Lines for people. */
  readonly warn: (text: string) => void;
  readonly progress: Progress;
  readonly input: InputFacts;
  readonly failuresByReason: Readonly<Record<string, number>>;
}

/** Writes a run's output files, the summary last: where it is, the others are whole. */
export async function finishRun(request: FinishRequest): Promise<RunSummaryFile> {
  const { runId, folder, plan, progress, warn } = request;
  const unprocessed = unprocessedReason(progress);
  const form = formFor(folder, request.form);
  await writeOutputs({ runId, folder, plan, form, warn, unprocessed, readAt: progress.startedAt });
  return writeSummary(request);
}

/** Writes summary.json beside the output files that are there already. */
export async function writeSummary(
  request: Omit<FinishRequest, "plan" | "form" | "warn">,
): Promise<RunSummaryFile> {
  const { folder } = request;
  const names = new Set([...(await listOutputFiles(folder.dir)), "summary.json"]);
  const summary = buildSummary({ ...request, files: [...names].toSorted() });
  await writeWhole(folder.summary, `${JSON.stringify(summary, null, 2)}\n`);
  return summary;
}

/** Once there is a results.jsonl it is made again each time: it must neither vanish nor tell of earlier. */
export function formFor(folder: RunFolder, form: OutputForm): OutputForm {
  return { ...form, jsonl: form.jsonl || existsSync(folder.resultsJsonl) };
}

/** Why rows of this run have no outcome. */
export function unprocessedReason({ status }: Pick<Progress, "status">): UnprocessedReason {
  if (status === "canceled") return "CANCELED";
  return status === "stopped" ? "STOPPED" : "PENDING";
}

/** The name in between is one of a kind: a report may be made while the run's own process ends it. */
async function writeWhole(file: string, text: string): Promise<void> {
  const partial = `${file}.${randomUUID()}.partial`;
  await writeFile(partial, text, { flush: true });
  await rename(partial, file);
}
