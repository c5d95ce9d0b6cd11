import type { MessageReply, PartContent, TaskSnapshot } from "./call.ts";
import type { AgentReason } from "./failure.ts";
import type { RowOutcome, SucceededOutcome } from "./outcome.ts";
import { hasContent, joinText } from "./outcome-content.ts";

/** What is known about a row at the agent apart from the answer itself. */
export interface RowFacts {
  readonly row: number;
  readonly attempts: number;
  readonly polls: number;
  readonly submittedAtMs: number;
  readonly finishedAtMs: number;
}

/** What a task's state asks for next. */
export type TaskVerdict =
  | { readonly kind: "ended"; readonly outcome: RowOutcome }
  /** SUBMITTED or WORKING: ask again when tasks like it usually end. */
  | { readonly kind: "in-progress" }
  /** AUTH_REQUIRED or a state this program does not know: ask slowly; `reason` when time is up. */
  | {
      readonly kind: "uncertain";
      readonly reason: "AUTH_REQUIRED" | "UNKNOWN_STATE";
      readonly message: string;
    };

/** Judges a task by its state alone (A2A §4.1.3); never takes an unknown state for an end. */
export function judgeTask(task: TaskSnapshot, facts: RowFacts): TaskVerdict {
  if (task.state.kind === "unknown") {
    const { raw } = task.state;
    const message =
      raw === "" ? "the task has no state" : `the task is in the unknown state ${raw}`;
    return { kind: "uncertain", reason: "UNKNOWN_STATE", message };
  }
  const { state } = task.state;
  switch (state) {
    case "SUBMITTED":
    case "WORKING":
      return { kind: "in-progress" };
    case "COMPLETED":
      return { kind: "ended", outcome: completed(task, facts) };
    case "FAILED":
    case "REJECTED":
    case "CANCELED":
      return { kind: "ended", outcome: ended(task, facts, `TASK_${state}`) };
    case "INPUT_REQUIRED":
      return {
        kind: "ended",
        outcome: {
          ...facts,
          ...ids(task),
          kind: "needs-input",
          question: joinText(task.statusParts),
        },
      };
    case "AUTH_REQUIRED":
      return {
        kind: "uncertain",
        reason: "AUTH_REQUIRED",
        message: wordsOr(task.statusParts, "the task waits for an authorization"),
      };
  }
}

/** The result of an agent that answered with a message instead of a task. */
export function messageOutcome(reply: MessageReply, facts: RowFacts): SucceededOutcome {
  return {
    ...facts,
    taskId: "",
    contextId: reply.contextId,
    kind: "succeeded",
    source: "message",
    artifacts: [],
    message: reply.parts,
  };
}

/** Artifacts are the place for results (A2A §3.7); some agents only fill the status message. */
function completed(task: TaskSnapshot, facts: RowFacts): SucceededOutcome {
  const { artifacts, statusParts } = task;
  return {
    ...facts,
    ...ids(task),
    kind: "succeeded",
    source: hasContent(artifacts) ? "artifact" : "status",
    artifacts,
    message: statusParts,
  };
}

const MAX_WORDS_LENGTH = 10_000;

function ended(task: TaskSnapshot, facts: RowFacts, reason: AgentReason): RowOutcome {
  const words =
    joinText(task.statusParts) || joinText(task.artifacts.flatMap(({ parts }) => parts));
  return {
    ...facts,
    ...ids(task),
    kind: "failed",
    stage: "track",
    reason,
    code: "",
    // Words for people: a failure must not be lost because its explanation is too long to keep.
    message: words.slice(0, MAX_WORDS_LENGTH),
  };
}

function ids(task: TaskSnapshot): { taskId: string; contextId: string } {
  return { taskId: task.taskId, contextId: task.contextId };
}

function wordsOr(parts: readonly PartContent[], otherwise: string): string {
  const words = joinText(parts);
  return words === "" ? otherwise : words;
}

const MAX_OUTCOME_BYTES = 1024 * 1024;

/**
 * An outcome as it is stored and journaled: one line of JSON. One of more than 1 MiB becomes a
 * RESULT_TOO_LARGE failure that keeps the task's id.
 */
export function encodeOutcome(outcome: RowOutcome): { outcome: RowOutcome; json: string } {
  const json = JSON.stringify(outcome);
  const sizeBytes = Buffer.byteLength(json);
  if (sizeBytes <= MAX_OUTCOME_BYTES) return { outcome, json };
  const { row, taskId, contextId, attempts, polls, submittedAtMs, finishedAtMs } = outcome;
  const failed: RowOutcome = {
    row,
    taskId,
    contextId,
    attempts,
    polls,
    submittedAtMs,
    finishedAtMs,
    kind: "failed",
    stage: taskId === "" ? "submit" : "track",
    reason: "RESULT_TOO_LARGE",
    code: "",
    message: `the answer has ${sizeBytes} bytes, more than the ${MAX_OUTCOME_BYTES} that a row may have`,
  };
  return { outcome: failed, json: JSON.stringify(failed) };
}
