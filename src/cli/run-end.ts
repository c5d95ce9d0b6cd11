import path from "node:path";
import type { Config } from "../config/schema.ts";
import { EXIT } from "../core/exit-code.ts";
import type { ProgressSnapshot } from "../core/progress-line.ts";
import type { RunSummaryFile } from "../core/summary.ts";
import type { RunEnd } from "../runs/run-context.ts";
import type { Output } from "./output.ts";
import { showSummary } from "./progress.ts";
import { reportError } from "./report-error.ts";

export interface RunEndPlace {
  readonly output: Output;
  readonly terminal: Config["terminal"];
  /** As typed. */
  readonly file: string;
  readonly tookMs: number;
}

type Next = { readonly purpose: string; readonly command: string };

/** Tells how a run ended: the block for people, the document for programs, and how to go on. */
export function showRunEnd(place: RunEndPlace, end: RunEnd): void {
  const { output, terminal } = place;
  const { summary } = end;
  if (end.error !== undefined) reportError(end.error, output, terminal);
  if (summary === undefined) {
    output.say(
      [
        `Run ${end.runId} is not finished; nothing is lost.`,
        `  go on:      onboard-batch run ${place.file}`,
        `  so far:     onboard-batch report ${end.runId}`,
      ].join("\n"),
    );
    return;
  }
  if (terminal.json) output.jsonResult(summary);
  if (end.wasSettled) output.say(`Run ${end.runId} is settled: nothing was sent.`);
  // Under cron nothing is said about a night on which all went well.
  if (terminal.quiet && end.exitCode === EXIT.ok) return;
  const next = nextSteps(end, place.file);
  const { failuresByReason } = summary;
  const files = filesOf(end, summary);
  const snapshot = finalSnapshot(summary);
  showSummary(output, { snapshot, tookMs: tookMs(summary, place), failuresByReason, files, next });
}

function tookMs(summary: RunSummaryFile, place: RunEndPlace): number {
  const wholeMs = Date.parse(summary.finishedAt) - Date.parse(summary.startedAt);
  return Number.isFinite(wholeMs) ? wholeMs : place.tookMs;
}

function filesOf({ folder }: RunEnd, summary: RunSummaryFile): { name: string; path: string }[] {
  const shown = ["results.csv", "failures.csv", "needs-input.csv", "unprocessed.csv"];
  return [...shown, "summary.json"]
    .filter((name) => summary.files.includes(name))
    .map((name) => ({ name: name.replace(/\.\w+$/, ""), path: path.join(folder.dir, name) }));
}

function nextSteps(end: RunEnd, file: string): readonly Next[] {
  if (end.exitCode === EXIT.ok) return [];
  return [
    {
      purpose: "send the failed rows again",
      command: `onboard-batch run ${path.join(end.folder.dir, "failures.csv")}`,
    },
    { purpose: "begin anew", command: `onboard-batch run ${file} --fresh` },
  ];
}

function finalSnapshot(summary: RunSummaryFile): ProgressSnapshot {
  const { runId, status, statusReason, rows } = summary;
  const speed = { sendPerSecond: 0, sendLimit: 0 };
  return { runId, status, statusReason, ...rows, ...speed, nowMs: 0, redisAway: false };
}
