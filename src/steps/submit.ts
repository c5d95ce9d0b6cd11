import type { CallFailure, SendReply, TaskSnapshot } from "../core/call.ts";
import type { AgentReason } from "../core/failure.ts";
import type { SpentAttempt, Step, StepJob, StepOutcome, SubmitJob } from "../core/job.ts";
import { computeMessageId } from "../core/message-id.ts";
import { decideAfterFailedSend } from "../core/send-policy.ts";
import type { RowFacts } from "../core/task-outcome.ts";
import { judgeTask, messageOutcome } from "../core/task-outcome.ts";
import { UNCERTAIN_POLL_MS } from "../core/track-policy.ts";
import type { Pass } from "../redis/gate.ts";
import type { SendIntent, SendLeave, TaskEntry } from "../redis/ledger.ts";
import { askAboutTask } from "./agent-calls.ts";
import { finishRow, reportFailure } from "./finish.ts";
import type { StepDeps } from "./step-deps.ts";
import { createTrackJob, pollTask } from "./track.ts";

/** A task that is expected to end within this time is asked about without going through the queue. */
const INLINE_POLL_MS = 50;

/** So many sends without any answer at the start mean that the agent blocks until its work is done. */
const UNANSWERED_SENDS_TO_STOP = 5;

interface Sent {
  readonly reply: SendReply;
  readonly submittedAtMs: number;
  /** Whether it was the row's first send. */
  readonly first: boolean;
}

/**
 * Sends a row's message, once an activation: intent into the ledger, POST, and the task into the
 * ledger before anything else happens with the answer.
 */
export function createSubmitStep(deps: StepDeps): Step<SubmitJob> {
  const watch = createBlockingWatch(deps);
  return async (job, signal) => {
    for (;;) {
      const maySend = await deps.sendHold.untilDecided(signal);
      if (maySend === "ended") return endUnsent(deps, job);
      const sent = await sendInTurn(deps, job, signal);
      if (sent.kind === "sent") {
        watch(sent.reply);
        return afterSend(deps, job.data, { ...sent, signal });
      }
      if (sent.kind === "taken-back") continue;
      if (sent.leave.kind !== "hold") return withoutSend(deps, job.data, sent.leave);
      deps.sendHold.set("full");
    }
  };
}

type SendTry =
  | ({ readonly kind: "sent" } & Sent)
  | { readonly kind: "no-leave"; readonly leave: Exclude<SendLeave, { kind: "go" }> }
  /** The run was paused or stopped while the send waited for its turn. */
  | { readonly kind: "taken-back" };

async function sendInTurn(
  deps: StepDeps,
  job: StepJob<SubmitJob>,
  signal: AbortSignal,
): Promise<SendTry> {
  const wait = deps.sendHold.beginWait(signal);
  try {
    const pass = await deps.gate.enter("send", deps.settings, wait.signal);
    return await sendAtPace(deps, job, pass).finally(() => pass.release());
  } catch (error) {
    if (!wait.signal.aborted || signal.aborted) throw error;
    return { kind: "taken-back" };
  } finally {
    wait.end();
  }
}

async function sendAtPace(deps: StepDeps, job: StepJob<SubmitJob>, pass: Pass): Promise<SendTry> {
  const { row, text, tryGroup, answers = {} } = job.data;
  // The intent is written while the slot is waited for, so that Redis' time does not shift the call.
  const leave = await deps.ledger.beginSend(intentOf(job));
  if (leave.kind !== "go") return { kind: "no-leave", leave };
  try {
    await pass.ready();
  } catch (error) {
    await deps.ledger.undoSend(row, leave.first);
    throw error;
  }
  const { runId, startedAtMs } = deps.settings;
  const messageId = computeMessageId({ runId, startedAtMs, row, text, tryGroup });
  const submittedAtMs = deps.now();
  const reply = await deps.client.sendMessage({ messageId, text, ...answers }, deps.callSignal);
  return { kind: "sent", reply, submittedAtMs, first: leave.first };
}

function intentOf({ data, lockKey, token }: StepJob<SubmitJob>): SendIntent {
  return { row: data.row, tryGroup: data.tryGroup, lockKey, token };
}

/** Nothing is sent any more; what the row has become by now must still be followed. */
async function endUnsent(deps: StepDeps, job: StepJob<SubmitJob>): Promise<StepOutcome<SubmitJob>> {
  const leave = await deps.ledger.beginSend(intentOf(job));
  if (leave.kind === "go") await deps.ledger.undoSend(job.data.row, leave.first);
  if (leave.kind !== "go" && leave.kind !== "hold") return withoutSend(deps, job.data, leave);
  // The run goes on after all, which this process will learn in a moment.
  return { kind: "again", data: job.data, delayMs: 1_000 };
}

/** The row needs no send: another activation has done it, or nothing may be sent any more. */
async function withoutSend(
  deps: StepDeps,
  job: SubmitJob,
  leave: Exclude<SendLeave, { kind: "go" | "hold" }>,
): Promise<StepOutcome<SubmitJob>> {
  if (leave.kind === "lost") return { kind: "abandoned" };
  if (leave.kind === "task") {
    await deps.addTrack(createTrackJob(leave.entry, job.text, 0), 0);
  }
  return { kind: "done" };
}

async function afterSend(
  deps: StepDeps,
  job: SubmitJob,
  sent: Sent & { readonly signal: AbortSignal },
): Promise<StepOutcome<SubmitJob>> {
  const { reply } = sent;
  if (reply.kind === "failure") return afterFailedSend(deps, job, { ...sent, ...reply });
  await deps.gate.report({ kind: "good" });
  if (reply.kind === "task") return followTask(deps, job, { ...sent, task: reply.task });
  const outcome = messageOutcome(reply.message, factsOf(deps, job, sent.submittedAtMs));
  return finishRow(deps, outcome, { weight: job.weight, reception: "accepted" });
}

async function followTask(
  deps: StepDeps,
  job: SubmitJob,
  sent: {
    readonly task: TaskSnapshot;
    readonly submittedAtMs: number;
    readonly signal: AbortSignal;
  },
): Promise<StepOutcome<SubmitJob>> {
  const { task, submittedAtMs } = sent;
  const facts = factsOf(deps, job, submittedAtMs);
  const verdict = judgeTask(task, facts);
  if (verdict.kind === "ended") {
    return finishRow(deps, verdict.outcome, { weight: job.weight, reception: "accepted" });
  }
  const { row, weight, tryGroup } = job;
  const { taskId, contextId } = task;
  const attempts = facts.attempts;
  const entry = { row, weight, taskId, contextId, attempts, submittedAtMs, tryGroup };
  const kept = await deps.storeAnswer({ kind: "task", entry }, () => deps.ledger.recordTask(entry));
  if (kept === undefined) return { kind: "done" };
  const firstDelayMs =
    verdict.kind === "uncertain" ? UNCERTAIN_POLL_MS : deps.schedule.firstDelayMs();
  await track(deps, { entry: kept, text: job.text, firstDelayMs, signal: sent.signal });
  return { kind: "done" };
}

async function track(
  deps: StepDeps,
  follow: {
    readonly entry: TaskEntry;
    readonly text: string;
    readonly firstDelayMs: number;
    readonly signal: AbortSignal;
  },
): Promise<void> {
  const { entry, text, firstDelayMs, signal } = follow;
  const job = createTrackJob(entry, text, firstDelayMs);
  if (firstDelayMs >= INLINE_POLL_MS || signal.aborted) {
    await deps.addTrack(job, firstDelayMs);
    return;
  }
  await new Promise((resolve) => setTimeout(resolve, firstDelayMs));
  try {
    const polled = await pollTask(deps, job, signal);
    if (polled.kind === "again") await deps.addTrack(polled.data, polled.delayMs);
  } catch (error) {
    // Whatever kept the poll from happening must not lose the task.
    await deps.addTrack(job, 0);
    throw error;
  }
}

type FailedSend = Sent & { readonly failure: CallFailure; readonly signal: AbortSignal };

async function afterFailedSend(
  deps: StepDeps,
  job: SubmitJob,
  sent: FailedSend,
): Promise<StepOutcome<SubmitJob>> {
  const { failure, first } = sent;
  const { streak, ...reported } = await reportFailure(deps, failure, job.row);
  // An outage that ended while the answer was waited for is the agent's, too.
  const away = reported.away || reported.awayAgoMs < deps.now() - sent.submittedAtMs;
  const written = failure.kind !== "not-written" && failure.kind !== "aborted";
  if (!written) await deps.ledger.undoSend(job.row, first);
  const tried = written ? { ...job, sends: job.sends + 1 } : job;
  const spent = await unforgiven(deps, job.spent);
  const decision = decideAfterFailedSend(failure, {
    spentAttempts: spent.length,
    // While the agent is away to everybody, no try can be held against a row.
    maxAttempts: away ? Number.POSITIVE_INFINITY : deps.settings.attempts,
    timedOutSends: away ? -1 : spent.filter(({ timedOut }) => timedOut).length,
    random: deps.random(),
  });
  switch (decision.kind) {
    case "again": {
      const timedOut = failure.kind === "timed-out";
      const spends = decision.spends && !away;
      const data = { ...tried, spent: spends ? [...spent, { streak, timedOut }] : spent };
      return { kind: "again", data, delayMs: decision.delayMs };
    }
    case "fail":
      return failSend(deps, job, { ...sent, reason: decision.reason, sends: tried.sends });
    case "stop":
      deps.onStop(decision.stop);
      return { kind: "again", data: job, delayMs: 0 };
  }
}

/** A row's own message fails its row; an answer may have failed because of what became of its task. */
function failSend(
  deps: StepDeps,
  job: SubmitJob,
  sent: FailedSend & { readonly reason: AgentReason; readonly sends: number },
): Promise<StepOutcome<SubmitJob>> {
  const { failure, sends } = sent;
  return job.answers === undefined || !isAboutTask(failure)
    ? failRow(deps, { ...job, sends }, sent)
    : endUnanswered(deps, job, { ...sent, taskId: job.answers.taskId });
}

/** Whether the agent may have refused an answer because of its task (A2A §3.4.2). */
function isAboutTask({ kind }: CallFailure): boolean {
  return kind === "refused" || kind === "task-not-found" || kind === "not-cancelable";
}

/** A task that takes no answer has ended or is gone: how it stands now is what the row gets. */
async function endUnanswered(
  deps: StepDeps,
  job: SubmitJob,
  sent: FailedSend & { readonly taskId: string },
): Promise<StepOutcome<SubmitJob>> {
  const { submittedAtMs, failure } = sent;
  const reply = await askAboutTask(deps, sent.taskId, sent.signal);
  if (reply.kind === "task") return followTask(deps, job, { ...sent, task: reply.task });
  const isLost = reply.failure.kind === "task-not-found";
  const reason = isLost ? "TASK_LOST" : "AGENT_REFUSED";
  const why = { failure: isLost ? reply.failure : failure, reason, submittedAtMs } as const;
  return failRow(deps, { ...job, sends: job.sends + 1 }, why);
}

/** The spent attempts that still count: those that an outage took are given back. */
async function unforgiven(
  deps: StepDeps,
  spent: readonly SpentAttempt[],
): Promise<readonly SpentAttempt[]> {
  if (spent.length === 0) return spent;
  const outages = await deps.gate.findOutages(spent.map(({ streak }) => streak));
  return spent.filter(({ streak }) => !outages.has(streak));
}

function failRow(
  deps: StepDeps,
  job: SubmitJob,
  why: {
    readonly failure: CallFailure;
    readonly reason: AgentReason;
    readonly submittedAtMs: number;
  },
): Promise<StepOutcome<SubmitJob>> {
  const { code, message } = why.failure;
  const { submittedAtMs, reason } = why;
  const facts = { ...factsOf(deps, job, submittedAtMs), attempts: job.sends };
  const outcome = { ...facts, taskId: "", contextId: "", reason, code, message } as const;
  return finishRow(
    deps,
    { ...outcome, kind: "failed", stage: "submit" },
    { weight: job.weight, reception: reason === "AGENT_REFUSED" ? "refused" : "" },
  );
}

function factsOf(deps: StepDeps, job: SubmitJob, submittedAtMs: number): RowFacts {
  const { row, sends } = job;
  return { row, attempts: sends + 1, polls: 0, submittedAtMs, finishedAtMs: deps.now() };
}

/** Stops the run when the first sends were all written and none was ever answered. */
function createBlockingWatch(deps: StepDeps): (reply: SendReply) => void {
  let unanswered = 0;
  let answered = false;
  return (reply) => {
    const timedOut = reply.kind === "failure" && reply.failure.kind === "timed-out";
    if (!timedOut && !(reply.kind === "failure" && reply.failure.kind === "not-written")) {
      answered = true;
    }
    if (answered || !timedOut) return;
    unanswered += 1;
    if (unanswered < UNANSWERED_SENDS_TO_STOP) return;
    const message = `the first ${unanswered} messages had no answer within the request time-out: the agent seems to answer only when its work is done`;
    deps.onStop({ kind: "blocking-agent", message });
  };
}
