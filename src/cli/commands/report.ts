import path from "node:path";
import { EXIT } from "../../core/exit-code.ts";
import { isSettled } from "../../core/progress.ts";
import { findRun } from "../../runs/find-run.ts";
import type { RunReport } from "../../runs/report.ts";
import { reportRun } from "../../runs/report.ts";
import { exitCodeOfSignal } from "../../runs/session.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { requireRunName, withRuns } from "../named-run.ts";
import { showSummary } from "../progress.ts";
import { withStopSignal } from "../signals.ts";
import { shownFiles, snapshotOfSummary, tookMsOf } from "../summary-view.ts";

/** `onboard-batch report <run>`: exit 0 when the files are made, whatever the run itself came to. */
export const report: RunCommand = async (input, context) => {
  const loaded = await context.loadConfig();
  const name = requireRunName(input);
  const { json, quiet } = loaded.config.terminal;
  const { input: file, output: form } = loaded.config;
  const inputFile = file === undefined ? undefined : path.resolve(context.io.cwd, file);
  return withStopSignal(context.io, async (stopSignal) => {
    try {
      const made = await withRuns(context, loaded, async ({ outDir, warn, ...finding }) => {
        const { run, redis } = await findRun({ outDir, warn, ...finding }, name);
        return reportRun({ outDir, redis, inputFile, form, warn, stopSignal }, run);
      });
      if (!quiet) showReport(context, made);
      if (json) context.output.jsonResult(made.summary);
      else context.output.result(pathsOf(made).join("\n"));
      return EXIT.ok;
    } catch (error) {
      // What a stop interrupts has not failed: the files that were there are there still.
      if (stopSignal.aborted) return exitCodeOfSignal(stopSignal);
      throw error;
    }
  });
};

function pathsOf({ folder, summary }: RunReport): readonly string[] {
  return shownFiles(folder.dir, summary).map((file) => file.path);
}

function showReport({ output }: CommandContext, { summary }: RunReport): void {
  const { status, failuresByReason, reused, runId } = summary;
  const goOn = "the same `onboard-batch run` command as before";
  showSummary(output, {
    snapshot: snapshotOfSummary(summary),
    reused,
    tookMs: tookMsOf(summary) ?? 0,
    failuresByReason,
    files: [],
    next: isSettled(status)
      ? []
      : [
          { purpose: "see how it stands", command: `onboard-batch status ${runId}` },
          { purpose: "go on, if nobody does", command: goOn },
        ],
  });
}
