import type { TaskReply } from "../core/call.ts";
import type { AgentReason } from "../core/failure.ts";
import type { StepOutcome, TrackJob } from "../core/job.ts";
import type { RowOutcome } from "../core/outcome.ts";
import { judgeTask } from "../core/task-outcome.ts";
import { askAboutTask, cancelTask } from "./agent-calls.ts";
import { factsOf, finishRow, reportFailure } from "./finish.ts";
import type { StepDeps } from "./step-deps.ts";

/** What a row becomes whose task is past its time. */
export interface Overdue {
  readonly reason: AgentReason;
  /** JSON-RPC or HTTP code of the last answer, empty when there was none. */
  readonly code: string;
  readonly message: string;
  /** Ends the waits for the gate. */
  readonly signal: AbortSignal;
}

/**
 * Asks the agent to cancel a task that is past `--task-timeout` (A2A §3.1.5). A task that ended in
 * the meantime keeps its end: it is paid. Whatever CancelTask answers, the task's state decides.
 */
export async function cancelOverdueTask(
  deps: StepDeps,
  job: TrackJob,
  overdue: Overdue,
): Promise<StepOutcome<TrackJob>> {
  const canceled = await cancelTask(deps, job.taskId, overdue.signal);
  const first = lateEnd(canceled, job, deps.now());
  if (first !== undefined) return finish(deps, job, first);
  if (canceled.kind === "task") return finish(deps, job, failed(job, overdue, deps.now()));
  // How a CancelTask fails otherwise says little of the agent: some wait for their own work first.
  if (canceled.failure.kind === "throttled") await reportFailure(deps, canceled.failure, job.row);

  const reply = await askAboutTask(deps, job.taskId, overdue.signal);
  if (reply.kind === "failure") await reportFailure(deps, reply.failure, job.row);
  const polled = { ...job, polls: job.polls + 1 };
  const second = lateEnd(reply, polled, deps.now());
  return finish(deps, polled, second ?? failed(polled, overdue, deps.now()));
}

/** The outcome of a task that ended by itself; undefined when it goes on or was canceled. */
function lateEnd(reply: TaskReply, job: TrackJob, nowMs: number): RowOutcome | undefined {
  if (reply.kind !== "task") return undefined;
  const verdict = judgeTask(reply.task, factsOf(job, nowMs));
  if (verdict.kind !== "ended") return undefined;
  const { outcome } = verdict;
  return outcome.kind === "failed" && outcome.reason === "TASK_CANCELED" ? undefined : outcome;
}

function failed(job: TrackJob, overdue: Overdue, finishedAtMs: number): RowOutcome {
  const { taskId, contextId } = job;
  const { reason, code, message } = overdue;
  const why = { kind: "failed", stage: "track", reason, code, message } as const;
  return { ...factsOf(job, finishedAtMs), taskId, contextId, ...why };
}

function finish(deps: StepDeps, job: TrackJob, outcome: RowOutcome): Promise<{ kind: "done" }> {
  return finishRow(deps, outcome, { weight: job.weight, reception: "" });
}
