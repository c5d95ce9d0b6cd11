import { exitCodeOfError, OnboardError } from "../core/errors.ts";
import type { ExitCode } from "../core/exit-code.ts";
import { EXIT } from "../core/exit-code.ts";
import type { OutputForm } from "../core/output-form.ts";
import type { FatalStop } from "../core/stop.ts";
import type { RunSummaryFile } from "../core/summary.ts";
import { exitCodeOf } from "../core/summary.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import type { AnswerStore } from "./answer-store.ts";
import { finishRun } from "./finish-run.ts";
import { agentStayedAway, refusedCredentials, wrongAgent } from "./meet-agent.ts";
import type { OpenRun } from "./open-run.ts";
import type { RunEnd } from "./run-context.ts";
import type { SessionEnd } from "./session.ts";

interface EndedRun extends OpenRun {
  /** How this process writes the outputs. */
  readonly form: OutputForm;
  /** Where the run's answers are kept for later runs. */
  readonly answers: AnswerStore;
  /** Lines for people. */
  readonly warn: (text: string) => void;
}

/** What a process does last for a run, by how its session ended. */
export async function endRun(run: EndedRun, queues: RunQueues, end: SessionEnd): Promise<RunEnd> {
  const { settings, folder } = run;
  const base = { runId: settings.runId, folder, wasSettled: false };
  switch (end.kind) {
    case "settled": {
      const summary = await settle(run, queues);
      return { ...base, exitCode: exitCodeOf(summary), summary, error: undefined };
    }
    case "signal":
      return { ...base, exitCode: end.exitCode, summary: undefined, error: undefined };
    case "stopped":
      return { ...base, ...(await stopped(run, end.stop)), summary: undefined };
    case "error": {
      const exitCode = exitCodeOfError(end.error);
      if (exitCode === EXIT.credentials) await run.record.noteRefused();
      return { ...base, exitCode, summary: undefined, error: end.error };
    }
  }
}

/**
 * Lets Redis forget the rows, which the journal has, then writes the outputs: a process that dies in
 * between leaves nothing in Redis for ever, and the same command writes them.
 */
async function settle(run: EndedRun, queues: RunQueues): Promise<RunSummaryFile> {
  const { record, settings } = run;
  const progress = await record.progress();
  if (progress === undefined) throw new Error("the progress of a settled run is gone");
  const failuresByReason = await record.failures();
  await queues.obliterate();
  await record.expire(settings.retentionMs);
  return finishRun({ ...run, progress, failuresByReason });
}

async function stopped(
  run: OpenRun,
  stop: FatalStop,
): Promise<{ exitCode: ExitCode; error: OnboardError }> {
  const error = errorOfStop(stop, run.settings.agentUrl);
  if (stop.kind === "credentials") await run.record.noteRefused();
  if (stop.kind === "agent-down") await run.record.setReason(stop.kind);
  return { exitCode: error.exitCode, error };
}

/** The error that a stop of the whole process is told as. */
export function errorOfStop(stop: FatalStop, agentUrl: string): OnboardError {
  switch (stop.kind) {
    case "credentials":
      return refusedCredentials(stop.message);
    case "wrong-agent":
      return wrongAgent(stop.message, agentUrl);
    case "agent-down":
      return agentStayedAway(stop.message);
    case "blocking-agent":
      return new OnboardError(EXIT.unavailable, stop.message, {
        hint: "give --request-timeout more time than a task takes, then run the same command again",
      });
  }
}
