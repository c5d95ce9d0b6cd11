import type { TaskReply } from "../core/call.ts";
import type { StepDeps } from "./step-deps.ts";

/** One GetTask at the gate's pace, counted. */
export function askAboutTask(
  deps: StepDeps,
  taskId: string,
  signal: AbortSignal,
): Promise<TaskReply> {
  return callAtPace(deps, signal, () =>
    Promise.all([
      deps.client.getTask(taskId, deps.callSignal),
      deps.record.countCall("getTaskCalls"),
    ]),
  );
}

/** One CancelTask at the pace of polls, counted. */
export function cancelTask(
  deps: StepDeps,
  taskId: string,
  signal: AbortSignal,
): Promise<TaskReply> {
  return callAtPace(deps, signal, () =>
    Promise.all([
      deps.client.cancelTask(taskId, deps.callSignal),
      deps.record.countCall("cancelTaskCalls"),
    ]),
  );
}

async function callAtPace(
  deps: StepDeps,
  signal: AbortSignal,
  call: () => Promise<[TaskReply, void]>,
): Promise<TaskReply> {
  const pass = await deps.gate.enter("poll", deps.settings, signal);
  try {
    await pass.ready();
    const [reply] = await call();
    return reply;
  } finally {
    pass.release();
  }
}
