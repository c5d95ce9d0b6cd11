import type { Progress } from "../core/progress.ts";
import type { ProgressSnapshot } from "../core/progress-line.ts";
import type { RunView } from "../runs/run-context.ts";

/** What the progress reporter shows of a run. */
export function snapshotOf(view: RunView, nowMs: number): ProgressSnapshot {
  const progress = view.progress();
  const { awaySinceMs, nextTryAtMs } = view.condition();
  return {
    runId: view.settings.runId,
    ...countsOf(progress),
    // Sends are counted when their slot is reserved, up to a second before they are made.
    sendPerSecond: Math.min(view.sendPerSecond(), view.settings.sendPerSecond),
    sendLimit: view.settings.sendPerSecond,
    ...(awaySinceMs === undefined ? {} : { agentDownSinceMs: awaySinceMs }),
    ...(nextTryAtMs === undefined ? {} : { nextTryAtMs }),
    nowMs,
    redisAway: view.isRedisAway(),
  };
}

type SnapshotCounts = Pick<
  ProgressSnapshot,
  | "status"
  | "statusReason"
  | "total"
  | "pending"
  | "open"
  | "succeeded"
  | "failed"
  | "needsInput"
  | "unprocessed"
>;

function countsOf(progress: Progress | undefined): SnapshotCounts {
  if (progress !== undefined) return progress;
  const none = { total: 0, pending: 0, open: 0, succeeded: 0, failed: 0 };
  return { ...none, needsInput: 0, unprocessed: 0, status: "ingesting", statusReason: "" };
}
