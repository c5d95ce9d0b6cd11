import { OnboardError } from "../core/errors.ts";
import type { ExitCode } from "../core/exit-code.ts";
import { EXIT } from "../core/exit-code.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { FatalStop } from "../core/stop.ts";
import type { RunSummaryFile } from "../core/summary.ts";
import { exitCodeOf } from "../core/summary.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import { createRunQueues } from "../queue/run-queues.ts";
import { runPrefix } from "../redis/keys.ts";
import { tryLease } from "../redis/lease.ts";
import { finishRun } from "./finish-run.ts";
import { agentStayedAway, refusedCredentials, wrongAgent } from "./meet-agent.ts";
import type { OpenRun } from "./open-run.ts";
import { openRun } from "./open-run.ts";
import type { ChosenRun, RunEnd } from "./run-context.ts";
import type { SessionEnd } from "./session.ts";
import { runSession } from "./session.ts";
import { settleWhenDone } from "./settle.ts";

/**
 * Works on a run until it settles, a signal comes, or something ends it early; then writes what is
 * to be written. The lease makes sure that no other process does the same.
 *
 * @throws OnboardError exit 6 when another living process holds the run, and what openRun throws
 */
export async function workOnRun(deps: ChosenRun, settings: RunSettings): Promise<RunEnd> {
  const { redis, log } = deps;
  const { runId } = settings;
  const tried = await tryLease(redis.client, runId, log);
  if (tried.kind === "held") throw heldBy(tried.holder, runId);
  const queues = createRunQueues(redis.client, runPrefix(runId));
  try {
    const run = await openRun(deps, settings);
    try {
      const isDone = await settleWhenDone({ record: run.record, queues });
      const end = isDone ? ({ kind: "settled" } as const) : await runSession(deps, run, queues);
      return await endRun(run, queues, end);
    } finally {
      await run.journal.close();
    }
  } finally {
    // Closing waits for Redis; without it the lease runs out by itself.
    if (!redis.isAway()) await Promise.all([queues.close(), tried.lease.release()]);
  }
}

function heldBy(
  holder: { readonly host: string; readonly pid: number },
  runId: string,
): OnboardError {
  return new OnboardError(
    EXIT.held,
    `process ${holder.pid} on ${holder.host} works on run ${runId}`,
    {
      hint: `watch it with onboard-batch status ${runId}, or stop it there first`,
    },
  );
}

async function endRun(run: OpenRun, queues: RunQueues, end: SessionEnd): Promise<RunEnd> {
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
      const exitCode = end.error instanceof OnboardError ? end.error.exitCode : EXIT.bug;
      return { ...base, exitCode, summary: undefined, error: end.error };
    }
  }
}

/** Writes the outputs, then lets Redis forget the rows. */
async function settle(run: OpenRun, queues: RunQueues): Promise<RunSummaryFile> {
  const { settings, folder, plan, record, input } = run;
  const progress = await record.progress();
  if (progress === undefined) throw new Error("the progress of a settled run is gone");
  const failuresByReason = await record.failures();
  const { runId } = settings;
  const summary = await finishRun({ runId, folder, plan, progress, input, failuresByReason });
  await queues.obliterate();
  await record.expire(settings.retentionMs);
  return summary;
}

async function stopped(
  run: OpenRun,
  stop: FatalStop,
): Promise<{ exitCode: ExitCode; error: OnboardError }> {
  const error = errorOfStop(stop, run.settings.agentUrl);
  if (stop.kind === "credentials" || stop.kind === "agent-down")
    await run.record.setReason(stop.kind);
  return { exitCode: error.exitCode, error };
}

function errorOfStop(stop: FatalStop, agentUrl: string): OnboardError {
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
