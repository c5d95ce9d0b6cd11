import { describe, expect, it } from "vitest";
import type { Progress } from "../../../src/core/progress.ts";
import { buildSummary, exitCodeOf } from "../../../src/core/summary.ts";

const PROGRESS: Progress = {
  schemaVersion: 1,
  status: "completed",
  statusReason: "",
  file: "partners.csv",
  total: 21,
  pending: 1,
  open: 2,
  succeeded: 3,
  failed: 4,
  needsInput: 5,
  unprocessed: 6,
  reused: 2,
  sendMessageCalls: 7,
  getTaskCalls: 8,
  cancelTaskCalls: 9,
  retries: 10,
  rateLimited: 11,
  startedAt: "2026-11-30T20:00:00.000Z",
  updatedAt: "2026-11-30T20:01:00.000Z",
  finishedAt: "2026-11-30T20:02:00.000Z",
  heartbeatAt: "2026-11-30T20:01:59.000Z",
};

const INPUT = {
  file: "partners.csv",
  sha256: "a".repeat(64),
  rows: 21,
  encoding: "utf-8",
  delimiter: ",",
  skipped: [],
  warnings: ["columns ignored: Notes"],
};

describe("summary.json", () => {
  it("has the public fields, in their order", () => {
    const summary = buildSummary({
      runId: "r",
      progress: PROGRESS,
      input: INPUT,
      failuresByReason: { TASK_FAILED: 4 },
      files: ["results.csv"],
    });
    expect(JSON.stringify(summary)).toBe(
      JSON.stringify({
        schemaVersion: 1,
        runId: "r",
        status: "completed",
        statusReason: "",
        input: INPUT,
        rows: {
          total: 21,
          pending: 1,
          open: 2,
          succeeded: 3,
          failed: 4,
          needsInput: 5,
          unprocessed: 6,
        },
        reused: 2,
        failuresByReason: { TASK_FAILED: 4 },
        calls: { sendMessage: 7, getTask: 8, cancelTask: 9, retries: 10, rateLimited: 11 },
        startedAt: "2026-11-30T20:00:00.000Z",
        updatedAt: "2026-11-30T20:01:00.000Z",
        finishedAt: "2026-11-30T20:02:00.000Z",
        files: ["results.csv"],
      }),
    );
  });
});

describe("the exit code of a settled run", () => {
  it.each([
    ["completed", { failed: 0, needsInput: 0 }, 0],
    ["completed", { failed: 1, needsInput: 0 }, 3],
    ["completed", { failed: 0, needsInput: 1 }, 3],
    ["canceled", { failed: 0, needsInput: 0 }, 7],
    ["canceled", { failed: 1, needsInput: 1 }, 7],
    ["stopped", { failed: 0, needsInput: 0 }, 7],
    ["stopped", { failed: 20, needsInput: 0 }, 7],
  ] as const)("%s with %o: %d", (status, rows, code) => {
    expect(exitCodeOf({ status, rows })).toBe(code);
  });
});
