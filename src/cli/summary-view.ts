import path from "node:path";
import type { ProgressSnapshot } from "../core/progress-line.ts";
import type { RunSummaryFile } from "../core/summary.ts";

/** A file of a run for people. */
export interface ShownFile {
  readonly name: string;
  readonly path: string;
}

const SHOWN_FILES = [
  "results.csv",
  "results.jsonl",
  "failures.csv",
  "needs-input.csv",
  "unprocessed.csv",
  "report.html",
  "summary.json",
];

/** The result files that are there, in the order in which they are shown. */
export function shownFiles(dir: string, { files }: RunSummaryFile): readonly ShownFile[] {
  return SHOWN_FILES.filter((name) => files.includes(name)).map((name) => ({
    name: name.replace(/\.(?:csv|json|html)$/, ""),
    path: path.join(dir, name),
  }));
}

/** A summary as the block at the end shows it. */
export function snapshotOfSummary(summary: RunSummaryFile): ProgressSnapshot {
  const { runId, status, statusReason, rows } = summary;
  const speed = { sendPerSecond: 0, sendLimit: 0 };
  return { runId, status, statusReason, ...rows, ...speed, nowMs: 0, redisAway: false };
}

/** From its start to its end, or to its last step; undefined when the summary does not tell. */
export function tookMsOf({ startedAt, updatedAt, finishedAt }: RunSummaryFile): number | undefined {
  const tookMs = Date.parse(finishedAt === "" ? updatedAt : finishedAt) - Date.parse(startedAt);
  return Number.isFinite(tookMs) ? tookMs : undefined;
}
