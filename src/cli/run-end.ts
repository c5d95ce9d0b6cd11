import path from "node:path";
import type { Config } from "../config/schema.ts";
import { EXIT } from "../core/exit-code.ts";
import { isRetryableReason } from "../core/failure.ts";
import { quoteForShell } from "../core/mapping-claims.ts";
import type { RunSummaryFile } from "../core/summary.ts";
import type { RunEnd } from "../runs/run-context.ts";
import type { Output } from "./output.ts";
import { showSummary } from "./progress.ts";
import { reportError } from "./report-error.ts";
import { shownFiles, snapshotOfSummary, tookMsOf } from "./summary-view.ts";

export interface RunEndPlace {
  readonly output: Output;
  readonly terminal: Config["terminal"];
  /** As typed; undefined for a command that takes none. */
  readonly file: string | undefined;
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
        "  go on:      the same command again",
        `  so far:     onboard-batch report ${end.runId}`,
      ].join("\n"),
    );
    return;
  }
  if (terminal.json) output.jsonResult(summary);
  if (end.wasSettled) output.say(`Run ${end.runId} is settled: nothing was sent.`);
  // Under cron nothing is said about a night on which all went well.
  if (terminal.quiet && end.exitCode === EXIT.ok) return;
  const next = nextSteps(end, summary, place.file);
  const { failuresByReason, reused } = summary;
  const files = shownFiles(end.folder.dir, summary);
  const snapshot = snapshotOfSummary(summary);
  const tookMs = tookMsOf(summary) ?? place.tookMs;
  showSummary(output, { snapshot, reused, tookMs, failuresByReason, files, next });
}

function nextSteps(
  end: RunEnd,
  { rows, failuresByReason }: RunSummaryFile,
  file: string | undefined,
): readonly Next[] {
  if (end.exitCode === EXIT.ok) return [];
  const steps: Next[] = [];
  const retryable = Object.keys(failuresByReason).some((reason) => isRetryableReason(reason));
  if (retryable || rows.unprocessed > 0) {
    const purpose = retryable ? "send failed rows again" : "send the rows that are left";
    steps.push({ purpose, command: `onboard-batch retry ${end.runId}` });
  }
  if (rows.failed > 0) {
    const mended = path.join(end.folder.dir, "failures.csv");
    steps.push({ purpose: "send mended rows", command: runCommand(mended) });
  }
  if (end.exitCode === EXIT.stopped) {
    steps.push({
      purpose: "make the files again",
      command: `onboard-batch report ${end.runId}`,
    });
  }
  if (file !== undefined) {
    steps.push({ purpose: "begin anew", command: `${runCommand(file)} --fresh` });
  }
  return steps;
}

function runCommand(file: string): string {
  return `onboard-batch run ${quoteForShell(file)}`;
}
