/**
 * A task of the simulated agent. Nothing ticks: where a task stands follows from the clock.
 *
 * SUBMITTED -> WORKING -> its end; an end that is no end (INPUT_REQUIRED, AUTH_REQUIRED, unknown
 * states) goes on after a follow-up message or, when so ordered, by itself, to COMPLETED.
 */

import type { EffectOf } from "./options.ts";

/** What the partner's message asked for, as far as the answer depends on it. */
export interface OutputModes {
  readonly text: boolean;
  readonly data: boolean;
}

/** Parts that a fault adds to the answer. */
export type ExtraPart = EffectOf<"huge"> | EffectOf<"file"> | EffectOf<"url-part">;

/** How a task ends. */
export interface TaskEnd {
  /** As on the wire; empty leaves the state out. */
  readonly state: string;
  /** The agent's words; left out, the state's usual ones. */
  readonly text?: string;
  /** Goes on to COMPLETED so long after. */
  readonly resumeAfterMs?: number;
}

/** When the present stretch of work began, leaves SUBMITTED and ends; ms since the epoch. */
export interface Timeline {
  readonly startedAtMs: number;
  readonly workingAtMs: number;
  readonly endAtMs: number;
  readonly end: TaskEnd;
}

export interface SandboxTask {
  readonly id: string;
  readonly contextId: string;
  readonly messageId: string;
  /** The text of the message that made the task. */
  readonly text: string;
  readonly textHash: number;
  readonly output: OutputModes;
  readonly extras: readonly ExtraPart[];
  timeline: Timeline;
  getTaskCount: number;
  cancelTaskCount: number;
  /** Whether an answer has told the end. */
  delivered: boolean;
}

export interface TaskStatus {
  /** As on the wire; empty leaves the state out. */
  readonly state: string;
  readonly atMs: number;
  readonly phase: "open" | "interrupted" | "terminal";
  /** The agent's own words for the end, if it was ordered to have any. */
  readonly text?: string;
}

/** The task came to its good end. */
export const COMPLETED: TaskEnd = { state: "TASK_STATE_COMPLETED" };

const TERMINAL: ReadonlySet<string> = new Set([
  "TASK_STATE_COMPLETED",
  "TASK_STATE_FAILED",
  "TASK_STATE_CANCELED",
  "TASK_STATE_REJECTED",
]);

const SHORT_NAMES: ReadonlySet<string> = new Set([
  "UNSPECIFIED",
  "SUBMITTED",
  "WORKING",
  "COMPLETED",
  "FAILED",
  "CANCELED",
  "INPUT_REQUIRED",
  "REJECTED",
  "AUTH_REQUIRED",
]);

const QUEUED_SHARE = 0.1;

/** A state as the options name it, as it goes over the wire: known names get their prefix, others stay. */
export function toWireState(name: string): string {
  return SHORT_NAMES.has(name) ? `TASK_STATE_${name}` : name;
}

/** A stretch of work from now on: a tenth of it SUBMITTED, the rest WORKING. */
export function createTimeline(nowMs: number, durationMs: number, end: TaskEnd): Timeline {
  return {
    startedAtMs: nowMs,
    workingAtMs: nowMs + durationMs * QUEUED_SHARE,
    endAtMs: nowMs + durationMs,
    end,
  };
}

/** An end that is there at once: of a canceled task, or ordered by a fault. */
export function endTimeline(nowMs: number, end: TaskEnd): Timeline {
  return createTimeline(nowMs, 0, end);
}

function computeEnd({ end, endAtMs }: Timeline, nowMs: number): TaskStatus {
  const resumedAtMs = endAtMs + (end.resumeAfterMs ?? Number.POSITIVE_INFINITY);
  if (nowMs >= resumedAtMs) {
    return { state: COMPLETED.state, atMs: resumedAtMs, phase: "terminal" };
  }
  return {
    state: end.state,
    atMs: endAtMs,
    phase: TERMINAL.has(end.state) ? "terminal" : "interrupted",
    ...(end.text === undefined ? {} : { text: end.text }),
  };
}

/** Where a task stands at a time. */
export function computeStatus({ timeline }: SandboxTask, nowMs: number): TaskStatus {
  if (nowMs >= timeline.endAtMs) {
    return computeEnd(timeline, nowMs);
  }
  return nowMs >= timeline.workingAtMs
    ? { state: "TASK_STATE_WORKING", atMs: timeline.workingAtMs, phase: "open" }
    : { state: "TASK_STATE_SUBMITTED", atMs: timeline.startedAtMs, phase: "open" };
}
