import { computeBackOffMs } from "./back-off.ts";
import type { CallFailure } from "./call.ts";
import type { AgentReason } from "./failure.ts";
import type { FatalStop } from "./stop.ts";
import { fatalStopOf, isFatal } from "./stop.ts";

/** How long a task that was just made may be unknown to some replica of the agent. */
const LOST_GRACE_MS = 8_000;

/** Waits for a task whose state only somebody else can change (A2A §7.6.2). */
export const UNCERTAIN_POLL_MS = 10_000;

/** A deadline is judged on a task that was seen; only polls that fail on and on are judged instead. */
const FAILED_POLLS_TO_GIVE_UP = 3;

/** What is known about a followed task when a GetTask failed. */
export interface TrackHistory {
  /** GetTask calls in a row without an answer about the task, this one included. */
  readonly failedPolls: number;
  /** Time since the first -32001 in a row; undefined when this is the first. */
  readonly lostForMs: number | undefined;
  readonly tryGroup: number;
  /** Whether `--task-timeout` has passed. */
  readonly overdue: boolean;
  readonly random: number;
}

/** What follows a GetTask that gave no task. */
export type TrackDecision =
  | { readonly kind: "ask-again"; readonly delayMs: number }
  /** The agent has lost the task: send the row once more, as a new message. */
  | { readonly kind: "send-anew" }
  | { readonly kind: "fail"; readonly reason: AgentReason }
  | { readonly kind: "stop"; readonly stop: FatalStop };

/** Decides what follows a failed GetTask. A read is safe to repeat, so only time ends it. */
export function decideAfterFailedPoll(failure: CallFailure, history: TrackHistory): TrackDecision {
  if (isFatal(failure)) return { kind: "stop", stop: fatalStopOf(failure) };
  const delayMs = Math.max(250, computeBackOffMs(history.failedPolls, history.random));
  switch (failure.kind) {
    case "too-large":
      return { kind: "fail", reason: "RESULT_TOO_LARGE" };
    case "throttled":
    case "aborted":
      return { kind: "ask-again", delayMs: 0 };
    case "not-written":
      return { kind: "ask-again", delayMs };
    case "task-not-found":
      return decideAboutLostTask(history, delayMs);
    case "protocol":
      return whileInTime(history, delayMs, "PROTOCOL_ERROR");
    case "timed-out":
    case "unavailable":
      return whileInTime(history, delayMs, "AGENT_UNAVAILABLE");
    case "refused":
    case "not-cancelable":
      return whileInTime(history, delayMs, "AGENT_REFUSED");
  }
}

function whileInTime(history: TrackHistory, delayMs: number, reason: AgentReason): TrackDecision {
  const isHopeless = history.overdue && history.failedPolls >= FAILED_POLLS_TO_GIVE_UP;
  return isHopeless ? { kind: "fail", reason } : { kind: "ask-again", delayMs };
}

function decideAboutLostTask(history: TrackHistory, delayMs: number): TrackDecision {
  if ((history.lostForMs ?? 0) < LOST_GRACE_MS) {
    return { kind: "ask-again", delayMs: Math.min(delayMs, 2_000) };
  }
  // Each round of sending has two groups: its first message, and the one after a lost task.
  return history.tryGroup % 2 === 0 ? { kind: "send-anew" } : { kind: "fail", reason: "TASK_LOST" };
}
