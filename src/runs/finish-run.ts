import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rename, rm, writeFile } from "node:fs/promises";
import type { OutputForm } from "../core/output-form.ts";
import type { Progress } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { InputFacts, RunSummaryFile } from "../core/summary.ts";
import { buildSummary } from "../core/summary.ts";
import type { AnswerStore } from "./answer-store.ts";
import { toDisk } from "./disk.ts";
import { createAnswerKeeper } from "./keep-answers.ts";
import type { UnprocessedReason } from "./output-cells.ts";
import { renderReport } from "./report-page.ts";
import type { RunFolder } from "./run-folder.ts";
import { listOutputFiles } from "./run-folder.ts";
import type { InputPlan } from "./scan-input.ts";
import type { KeepAnswer, WrittenOutputs } from "./write-outputs.ts";
import { writeOutputs } from "./write-outputs.ts";

interface SummaryRequest {
  readonly settings: RunSettings;
  readonly folder: RunFolder;
  readonly form: OutputForm;
  readonly progress: Progress;
  readonly input: InputFacts;
  readonly failuresByReason: Readonly<Record<string, number>>;
}

export interface FinishRequest extends SummaryRequest {
  readonly plan: InputPlan;
  /** Where the run's answers are kept for later runs. */
  readonly answers: AnswerStore;
  /** Lines for people. */
  readonly warn: (text: string) => void;
}

/** Writes a run's output files, the summary last: where it is, the others are whole. */
export async function finishRun(request: FinishRequest): Promise<RunSummaryFile> {
  const { settings, folder, plan, progress, warn } = request;
  const { runId } = settings;
  const unprocessed = unprocessedReason(progress);
  const form = formFor(folder, request.form);
  const readAt = progress.startedAt;
  const { dir } = folder;
  const keeper = createAnswerKeeper({ store: request.answers, settings, dir, warn });
  let written: WrittenOutputs;
  try {
    const keep: KeepAnswer = (text, outcome) => keeper.add(text, outcome);
    written = await writeOutputs({ runId, folder, plan, form, unprocessed, readAt, keep });
  } catch (error) {
    await keeper.discard();
    throw error;
  }
  await keeper.close();
  for (const warning of written.warnings) warn(warning);
  return writeSummary(request, written);
}

/** Writes report.html and summary.json beside the output files that are there already. */
export async function writeSummary(
  { settings, folder, form, progress, input, failuresByReason }: SummaryRequest,
  { story, warnings }: Pick<WrittenOutputs, "story" | "warnings">,
): Promise<RunSummaryFile> {
  const there = await listOutputFiles(folder.dir);
  const files = [...new Set([...there, "report.html", "summary.json"])].toSorted();
  const { runId } = settings;
  const summary = buildSummary({ runId, progress, input, failuresByReason, files });
  await writeWhole(folder.report, renderReport({ summary, settings, form, story, warnings }));
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
  await toDisk(file, async () => {
    try {
      await writeFile(partial, text, { flush: true });
      await rename(partial, file);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  });
}
