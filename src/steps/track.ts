import type { CallFailure, TaskSnapshot } from "../core/call.ts";
import type { AgentReason } from "../core/failure.ts";
import type { Step, StepOutcome, TrackJob } from "../core/job.ts";
import { advanceTaskAge } from "../core/task-age.ts";
import { judgeTask } from "../core/task-outcome.ts";
import { decideAfterFailedPoll, UNCERTAIN_POLL_MS } from "../core/track-policy.ts";
import type { TaskEntry } from "../redis/ledger.ts";
import { askAboutTask, cancelTask } from "./agent-calls.ts";
import { cancelOverdueTask } from "./cancel-overdue.ts";
import { factsOf, finishRow, reportFailure } from "./finish.ts";
import type { StepDeps } from "./step-deps.ts";

/** The job that follows a task from its making on. */
export function createTrackJob(entry: TaskEntry, text: string, plannedDelayMs: number): TrackJob {
  return {
    ...entry,
    text,
    polls: 0,
    ageMs: 0,
    askedAtMs: entry.submittedAtMs,
    plannedDelayMs,
    unfinishedAtMs: 0,
    cancels: 0,
    failedPolls: 0,
    lostSinceMs: 0,
  };
}

/** Asks the agent about a task, once an activation, until the task has ended. */
export function createTrackStep(deps: StepDeps): Step<TrackJob> {
  return ({ data }, signal) =>
    deps.isCanceling() && data.cancels < MAX_CANCELS
      ? cancelOpenTask(deps, data, signal)
      : pollTask(deps, data, signal);
}

/** A CancelTask that got no answer is made again; after that the task is only followed. */
const MAX_CANCELS = 3;

/** Asks the agent to cancel a task; whatever it says, the task's state decides (A2A §3.1.5). */
async function cancelOpenTask(
  deps: StepDeps,
  job: TrackJob,
  signal: AbortSignal,
): Promise<StepOutcome<TrackJob>> {
  const reply = await cancelTask(deps, job.taskId, signal);
  const asked = { ...job, cancels: MAX_CANCELS };
  if (reply.kind === "task") return afterAnswer(deps, asked, { task: reply.task, signal });
  const { failure } = reply;
  if (isUncertain(failure)) {
    return afterFailure(deps, { ...job, cancels: job.cancels + 1 }, { failure, signal });
  }
  return pollTask(deps, asked, signal);
}

/** Whether the agent may not even know that it was asked. */
function isUncertain({ kind }: CallFailure): boolean {
  return (
    kind === "not-written" || kind === "unavailable" || kind === "throttled" || kind === "protocol"
  );
}

/** One GetTask and what follows from it. */
export async function pollTask(
  deps: StepDeps,
  job: TrackJob,
  signal: AbortSignal,
): Promise<StepOutcome<TrackJob>> {
  const reply = await askAboutTask(deps, job.taskId, signal);
  const polled = { ...job, polls: job.polls + 1 };
  return reply.kind === "task"
    ? afterAnswer(deps, polled, { task: reply.task, signal })
    : afterFailure(deps, polled, { failure: reply.failure, signal });
}

async function afterAnswer(
  deps: StepDeps,
  job: TrackJob,
  { task, signal }: { task: TaskSnapshot; signal: AbortSignal },
): Promise<StepOutcome<TrackJob>> {
  await deps.gate.report({ kind: "good" });
  const nowMs = deps.now();
  const verdict = judgeTask(task, factsOf(job, nowMs));
  if (verdict.kind === "ended") {
    // How long a canceled task took tells nothing about the others.
    if (job.cancels === 0)
      deps.schedule.learn({ atLeastMs: job.unfinishedAtMs, atMostMs: nowMs - job.submittedAtMs });
    return finishRow(deps, verdict.outcome, { weight: job.weight, reception: "" });
  }
  const ageMs = advanceTaskAge(job, nowMs, true);
  const known = { ...job, ageMs, failedPolls: 0, lostSinceMs: 0 };
  if (ageMs >= deps.settings.taskTimeoutMs) {
    const reason = verdict.kind === "uncertain" ? verdict.reason : "TASK_TIMEOUT";
    const message = verdict.kind === "uncertain" ? verdict.message : "the task did not end in time";
    return cancelOverdueTask(deps, known, { reason, code: "", message, signal });
  }
  const sinceSubmitMs = nowMs - job.submittedAtMs;
  return verdict.kind === "uncertain"
    ? askAgain(known, nowMs, UNCERTAIN_POLL_MS)
    : askAgain(
        { ...known, unfinishedAtMs: sinceSubmitMs },
        nowMs,
        deps.schedule.nextDelayMs(sinceSubmitMs, deps.random()),
      );
}

async function afterFailure(
  deps: StepDeps,
  job: TrackJob,
  { failure, signal }: { failure: CallFailure; signal: AbortSignal },
): Promise<StepOutcome<TrackJob>> {
  const { away } = await reportFailure(deps, failure, job.row);
  const nowMs = deps.now();
  const reachable = failure.kind !== "not-written" && !away;
  const ageMs = advanceTaskAge(job, nowMs, reachable);
  const isLost = failure.kind === "task-not-found";
  const failed = {
    ...job,
    ageMs,
    failedPolls: job.failedPolls + 1,
    lostSinceMs: isLost ? job.lostSinceMs || nowMs : job.lostSinceMs,
  };
  const decision = decideAfterFailedPoll(failure, {
    failedPolls: failed.failedPolls,
    lostForMs: isLost && job.lostSinceMs > 0 ? nowMs - job.lostSinceMs : undefined,
    tryGroup: job.tryGroup,
    overdue: ageMs >= deps.settings.taskTimeoutMs,
    random: deps.random(),
  });
  switch (decision.kind) {
    case "ask-again":
      return askAgain(failed, nowMs, decision.delayMs);
    case "send-anew":
      return sendAnew(deps, failed);
    case "fail":
      return failTask(deps, failed, { reason: decision.reason, failure, signal });
    case "stop":
      deps.onStop(decision.stop);
      return askAgain(job, nowMs, 0);
  }
}

function askAgain(job: TrackJob, nowMs: number, delayMs: number): StepOutcome<TrackJob> {
  return {
    kind: "again",
    delayMs,
    data: { ...job, askedAtMs: nowMs, plannedDelayMs: delayMs },
  };
}

async function sendAnew(deps: StepDeps, job: TrackJob): Promise<StepOutcome<TrackJob>> {
  const { row, weight, text, tryGroup, attempts } = job;
  if (await deps.ledger.dropTask(job)) {
    await deps.addSubmit({ row, weight, text, tryGroup: tryGroup + 1, sends: attempts, spent: [] });
  }
  return { kind: "done" };
}

/** A task that nobody could ask about until its time was up is canceled like any other that is late. */
function failTask(
  deps: StepDeps,
  job: TrackJob,
  why: { reason: AgentReason; failure: CallFailure; signal: AbortSignal },
): Promise<StepOutcome<TrackJob>> {
  const { reason, signal } = why;
  const { kind, code, message } = why.failure;
  if (kind !== "too-large" && kind !== "task-not-found") {
    return cancelOverdueTask(deps, job, { reason, code, message, signal });
  }
  const facts = factsOf(job, deps.now());
  const { taskId, contextId } = job;
  const outcome = { ...facts, taskId, contextId, stage: "track", reason, code, message } as const;
  return finishRow(deps, { ...outcome, kind: "failed" }, { weight: job.weight, reception: "" });
}
