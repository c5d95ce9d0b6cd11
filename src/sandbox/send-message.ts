import { createAnswer } from "./answer.ts";
import type { TaskEffect } from "./faults.ts";
import { hashText, mixHash } from "./hash.ts";
import type { SandboxSettings } from "./options.ts";
import type { SendParams } from "./params.ts";
import { readMessageText } from "./params.ts";
import type { Reply } from "./rpc.ts";
import { errorReply } from "./rpc.ts";
import type { StatsRecorder } from "./stats.ts";
import type { OutputModes, SandboxTask } from "./task.ts";
import { COMPLETED, computeStatus, createTimeline } from "./task.ts";
import { computeDurationMs } from "./task-duration.ts";
import type { TaskFate } from "./task-effects.ts";
import { combineEffects, endOf } from "./task-effects.ts";
import type { TaskStore } from "./task-store.ts";
import type { Waits } from "./waits.ts";

/** What the three methods work with. */
export interface MethodDeps {
  readonly settings: SandboxSettings;
  readonly store: TaskStore;
  readonly stats: StatsRecorder;
  readonly waits: Waits;
}

/** The reply when the agent knows no such task. */
export const TASK_NOT_FOUND = errorReply(-32001, "Task not found.");

const PUSH_NOT_SUPPORTED = errorReply(-32003, "Push notifications are not supported.");
const TASK_HAS_ENDED = errorReply(-32004, "The task has ended and takes no more messages.");
const WRONG_CONTEXT = errorReply(
  -32602,
  "Invalid request content: contextId is not that of the task.",
);

/** The hash that decides the fate of a text. */
export function hashPartnerText(text: string, seed: number): number {
  return mixHash(hashText(text), seed);
}

/** A2A §3.2.2: agents should tailor their output to what the client accepts. */
function chooseOutput(params: SendParams, settings: SandboxSettings): OutputModes {
  const modes = params.configuration?.acceptedOutputModes ?? [];
  return {
    text: modes.length === 0 || modes.some((mode) => mode.startsWith("text/")),
    data: settings.structured || modes.includes("application/json"),
  };
}

function replyTask(params: SendParams, task: SandboxTask): Reply {
  return { kind: "task", task, historyLength: params.configuration?.historyLength ?? 0 };
}

function createTask(deps: MethodDeps, params: SendParams, fate: TaskFate): SandboxTask {
  const { settings, store } = deps;
  const { message } = params;
  const text = readMessageText(message);
  const textHash = hashPartnerText(text, settings.seed);
  const durationMs = computeDurationMs(settings.duration, textHash);
  const task: SandboxTask = {
    id: crypto.randomUUID(),
    contextId: contextOf(params),
    messageId: message.messageId,
    text,
    textHash,
    output: chooseOutput(params, settings),
    extras: fate.extras,
    timeline: createTimeline(Date.now(), durationMs, endOf(fate)),
    getTaskCount: 0,
    cancelTaskCount: 0,
    delivered: false,
  };
  store.add(task);
  if (fate.isLost) {
    store.lose(task);
  }
  return task;
}

function contextOf({ message }: SendParams): string {
  return message.contextId || crypto.randomUUID();
}

function answerDirectly(deps: MethodDeps, params: SendParams, words: string | undefined): Reply {
  const { settings, store, stats } = deps;
  const record = store.message(params.message.messageId);
  if (record.outcome.kind === "none") {
    record.outcome = { kind: "message" };
    stats.count("directMessages");
  }
  const text = readMessageText(params.message);
  return {
    kind: "message",
    text: words ?? createAnswer(text, hashPartnerText(text, settings.seed)).text,
    contextId: contextOf(params),
  };
}

/** A2A §3.4.3: the next message to a task that waits for one. */
function followUp(deps: MethodDeps, params: SendParams, taskId: string): Reply {
  const { settings, store, stats } = deps;
  const task = store.find(taskId);
  if (task === undefined) {
    return TASK_NOT_FOUND;
  }
  if (params.message.contextId && params.message.contextId !== task.contextId) {
    return WRONG_CONTEXT;
  }
  const nowMs = Date.now();
  const { phase } = computeStatus(task, nowMs);
  if (phase === "terminal") {
    return TASK_HAS_ENDED;
  }
  store.message(params.message.messageId).outcome = { kind: "task", task };
  if (phase === "interrupted") {
    stats.count("followUps");
    const durationMs = computeDurationMs(settings.duration, task.textHash);
    task.timeline = createTimeline(nowMs, durationMs, COMPLETED);
  }
  return replyTask(params, task);
}

function accept(deps: MethodDeps, params: SendParams, effects: readonly TaskEffect[]): Reply {
  const { message } = params;
  const known = deps.store.message(message.messageId).outcome;
  if (deps.settings.dedupeMessageIds && known.kind === "task") {
    return replyTask(params, known.task);
  }
  if (message.taskId) {
    return followUp(deps, params, message.taskId);
  }
  const fate = combineEffects(effects);
  return fate.message === undefined
    ? replyTask(params, createTask(deps, params, fate))
    : answerDirectly(deps, params, fate.message.text);
}

/** Waits, unless the client asked not to (and is listened to), until the task ends or needs somebody. */
async function block(deps: MethodDeps, params: SendParams, task: SandboxTask): Promise<void> {
  const { settings, waits } = deps;
  const asksNotToWait = params.configuration?.returnImmediately ?? false;
  if (asksNotToWait && settings.blocking === "honour-flag") {
    return;
  }
  const nowMs = Date.now();
  if (computeStatus(task, nowMs).phase === "open") {
    // A timer may fire up to 1 ms early.
    await waits.wait(Math.ceil(task.timeline.endAtMs - nowMs) + 1, task.id);
  }
}

/** SendMessage (A2A §3.1.1): a task, or a message when a fault says so. */
export async function sendMessage(
  deps: MethodDeps,
  params: SendParams,
  effects: readonly TaskEffect[],
): Promise<Reply> {
  if (params.configuration?.taskPushNotificationConfig !== undefined) {
    return PUSH_NOT_SUPPORTED;
  }
  const reply = accept(deps, params, effects);
  if (reply.kind === "task") {
    await block(deps, params, reply.task);
  }
  return reply;
}
