import { describe, expect, it } from "vitest";
import { snapshotOf } from "../../../src/cli/run-view.ts";
import type { Progress } from "../../../src/core/progress.ts";
import type { RunView } from "../../../src/runs/run-context.ts";
import { SETTINGS } from "../runs/run-fixture.ts";

const NOW_MS = Date.UTC(2026, 10, 30, 22);

const PROGRESS: Progress = {
  schemaVersion: 1,
  status: "paused",
  statusReason: "operator",
  file: "partners.csv",
  total: 21,
  pending: 1,
  open: 2,
  succeeded: 3,
  failed: 4,
  needsInput: 5,
  unprocessed: 6,
  reused: 0,
  sendMessageCalls: 7,
  getTaskCalls: 8,
  cancelTaskCalls: 9,
  retries: 10,
  rateLimited: 11,
  startedAt: "",
  updatedAt: "",
  finishedAt: "",
  heartbeatAt: "",
};

function view(over: Partial<RunView> = {}): RunView {
  return {
    settings: SETTINGS,
    progress: () => PROGRESS,
    sendPerSecond: () => 4.2,
    condition: () => ({ awaySinceMs: undefined, nextTryAtMs: undefined }),
    isRedisAway: () => false,
    ...over,
  };
}

describe("what is shown of a run", () => {
  it("is its status, its counts and its pace against the limit", () => {
    expect(snapshotOf(view(), NOW_MS)).toMatchObject({
      runId: "partners-1",
      status: "paused",
      statusReason: "operator",
      total: 21,
      pending: 1,
      open: 2,
      succeeded: 3,
      failed: 4,
      needsInput: 5,
      unprocessed: 6,
      sendPerSecond: 4.2,
      sendLimit: 5,
      nowMs: NOW_MS,
      redisAway: false,
    });
  });

  it("says nothing of an outage while the agent answers", () => {
    const snapshot = snapshotOf(view(), NOW_MS);
    expect(snapshot).not.toHaveProperty("agentDownSinceMs");
    expect(snapshot).not.toHaveProperty("nextTryAtMs");
  });

  it("tells since when the agent is away and when it is tried again", () => {
    const condition = () => ({ awaySinceMs: NOW_MS - 60_000, nextTryAtMs: NOW_MS + 5_000 });
    expect(snapshotOf(view({ condition }), NOW_MS)).toMatchObject({
      agentDownSinceMs: NOW_MS - 60_000,
      nextTryAtMs: NOW_MS + 5_000,
    });
  });

  it("is an empty run that is read in before the first counts are known", () => {
    const snapshot = snapshotOf(view({ progress: () => undefined }), NOW_MS);
    expect(snapshot).toMatchObject({ status: "ingesting", statusReason: "", total: 0, pending: 0 });
  });

  it("tells that Redis is away", () => {
    expect(snapshotOf(view({ isRedisAway: () => true }), NOW_MS).redisAway).toBe(true);
  });
});
