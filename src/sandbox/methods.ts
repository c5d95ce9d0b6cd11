import type { FaultCall, TaskEffect } from "./faults.ts";
import type { CancelTaskParams, CheckedCall, GetTaskParams, SendParams } from "./params.ts";
import { readMessageText } from "./params.ts";
import type { Reply } from "./rpc.ts";
import { errorReply } from "./rpc.ts";
import type { MethodDeps } from "./send-message.ts";
import { hashPartnerText, sendMessage, TASK_NOT_FOUND } from "./send-message.ts";
import type { SandboxTask, TaskEnd } from "./task.ts";
import { computeStatus, endTimeline } from "./task.ts";
import { combineEffects } from "./task-effects.ts";

export type ValidCall = Exclude<CheckedCall, { kind: "refused" }>;

export interface Methods {
  /** What the fault rules can ask about a call; counts it as one more about its message or task. */
  describe(call: ValidCall, index: number): FaultCall;
  /** Does the work of a call, with the faults of the task. */
  perform(call: ValidCall, effects: readonly TaskEffect[]): Promise<Reply>;
}

type Counted = Pick<FaultCall, "text" | "textHash" | "nth">;

const NOT_CANCELABLE = errorReply(-32002, "The task has ended and cannot be canceled.");
const CANCELED: TaskEnd = { state: "TASK_STATE_CANCELED" };

function countSend({ store, stats, settings }: MethodDeps, params: SendParams): Counted {
  const record = store.message(params.message.messageId);
  record.sendCount += 1;
  if (record.sendCount > 1) {
    stats.count("repeatedMessageIds");
  }
  const text = readMessageText(params.message);
  return { text, textHash: hashPartnerText(text, settings.seed), nth: record.sendCount };
}

function countAbout(
  task: SandboxTask | undefined,
  counter: "getTaskCount" | "cancelTaskCount",
): Counted {
  if (task === undefined) {
    return { text: "", textHash: 0, nth: 1 };
  }
  task[counter] += 1;
  return { text: task.text, textHash: task.textHash, nth: task[counter] };
}

function countCall(deps: MethodDeps, call: ValidCall): Counted {
  switch (call.kind) {
    case "SendMessage":
      return countSend(deps, call.params);
    case "GetTask":
      return countAbout(deps.store.find(call.params.id), "getTaskCount");
    case "CancelTask":
      return countAbout(deps.store.find(call.params.id), "cancelTaskCount");
  }
}

function endNow({ waits }: MethodDeps, task: SandboxTask, end: TaskEnd): void {
  task.timeline = endTimeline(Date.now(), end);
  waits.wake(task.id);
}

/** The task with the faults applied that strike a task later than at its birth; undefined when it is gone. */
function findTask(
  deps: MethodDeps,
  taskId: string,
  effects: readonly TaskEffect[],
): SandboxTask | undefined {
  const task = deps.store.find(taskId);
  if (task === undefined) {
    return undefined;
  }
  const fate = combineEffects(effects);
  if (fate.isLost) {
    deps.store.lose(task);
    return undefined;
  }
  if (fate.end !== undefined) {
    endNow(deps, task, fate.end);
  }
  return task;
}

/** GetTask (A2A §3.1.3). */
function getTask(deps: MethodDeps, params: GetTaskParams, effects: readonly TaskEffect[]): Reply {
  const task = findTask(deps, params.id, effects);
  return task === undefined
    ? TASK_NOT_FOUND
    : { kind: "task", task, historyLength: params.historyLength ?? 0 };
}

/** CancelTask (A2A §3.1.5). */
function cancelTask(
  deps: MethodDeps,
  params: CancelTaskParams,
  effects: readonly TaskEffect[],
): Reply {
  const task = findTask(deps, params.id, effects);
  if (task === undefined) {
    return TASK_NOT_FOUND;
  }
  if (computeStatus(task, Date.now()).phase === "terminal") {
    return NOT_CANCELABLE;
  }
  endNow(deps, task, CANCELED);
  return { kind: "task", task, historyLength: 0 };
}

/** The three methods over one store. */
export function createMethods(deps: MethodDeps): Methods {
  return {
    describe: (call, index) => ({ method: call.kind, index, ...countCall(deps, call) }),
    perform: async (call, effects) => {
      switch (call.kind) {
        case "SendMessage":
          return sendMessage(deps, call.params, effects);
        case "GetTask":
          return getTask(deps, call.params, effects);
        case "CancelTask":
          return cancelTask(deps, call.params, effects);
      }
    },
  };
}
