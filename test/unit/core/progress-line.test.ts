import { describe, expect, it } from "vitest";
import {
  describeStatus,
  estimateLeftMs,
  type ProgressSnapshot,
  percentSettled,
  renderPlainLine,
  renderSummary,
  renderTerminalLine,
  settledCount,
  toProgressEvent,
} from "../../../src/core/progress-line.ts";

const NOW = Date.UTC(2026, 10, 30, 22, 14, 10);

function snapshot(over: Partial<ProgressSnapshot> = {}): ProgressSnapshot {
  return {
    runId: "partners-1",
    status: "running",
    statusReason: "",
    total: 2_000,
    pending: 700,
    open: 66,
    succeeded: 1_200,
    failed: 34,
    needsInput: 0,
    unprocessed: 0,
    sendPerSecond: 4.94,
    sendLimit: 5,
    nowMs: NOW,
    redisAway: false,
    ...over,
  };
}

const context = {
  leftMs: 153_000,
  clock: (atMs: number): string => new Date(atMs).toISOString().slice(11, 19),
};

describe("settledCount and percentSettled", () => {
  it("count every kind of outcome and round down", () => {
    const some = snapshot({ needsInput: 5, unprocessed: 2 });
    expect(settledCount(some)).toBe(1_241);
    expect(percentSettled(some)).toBe(62);
    expect(percentSettled(snapshot({ total: 1_235 }))).toBe(99);
    expect(percentSettled(snapshot({ total: 1_234 }))).toBe(100);
  });

  it("say 0 % while the total is unknown", () => {
    expect(percentSettled(snapshot({ total: 0, succeeded: 0, failed: 0 }))).toBe(0);
  });
});

describe("estimateLeftMs", () => {
  it("goes on at the pace since the earlier sample", () => {
    expect(estimateLeftMs(snapshot(), { atMs: NOW - 10_000, settled: 1_134 })).toBe(76_600);
  });

  it.each([
    { atMs: NOW - 10_000, settled: 1_234 },
    { atMs: NOW - 10_000, settled: 1_300 },
    { atMs: NOW, settled: 0 },
  ])("says nothing without any progress since $atMs/$settled", (earlier) => {
    expect(estimateLeftMs(snapshot(), earlier)).toBeUndefined();
  });
});

describe("renderTerminalLine", () => {
  it("tells counts, pace and time left", () => {
    expect(renderTerminalLine(snapshot(), { ...context, columns: 120 })).toBe(
      "1,234/2,000  61 %  1,200 succeeded  34 failed  4.9 of 5 calls/s  2 min 33 s left",
    );
  });

  it("is cut to the terminal's width", () => {
    expect(renderTerminalLine(snapshot(), { ...context, columns: 20 })).toBe(
      "1,234/2,000  61 %  …",
    );
  });

  it("tells since when the agent is down instead of pace and time left", () => {
    const down = snapshot({ agentDownSinceMs: NOW - 7_000, nextTryAtMs: NOW + 5_000 });
    expect(renderTerminalLine(down, { ...context, columns: 120 })).toBe(
      "1,234/2,000  61 %  1,200 succeeded  34 failed  agent down since 22:14:03, next try in 5 s",
    );
  });
});

describe("renderPlainLine", () => {
  it.each<[string, Partial<ProgressSnapshot>, string]>([
    [
      "the pace",
      { sendPerSecond: 187.6, sendLimit: 1_200 },
      "188 of 1,200 calls/s, 2 min 33 s left",
    ],
    ["an agent that is down", { agentDownSinceMs: NOW - 7_000 }, "agent down since 22:14:03"],
    ["a Redis that is away", { redisAway: true }, "Redis is away, waiting for it"],
    ["a pause", { status: "paused" }, "paused"],
  ])("tells %s", (_, over, situation) => {
    expect(renderPlainLine(snapshot(over), context)).toBe(
      `partners-1: 1,234 of 2,000 rows (61 %), 1,200 succeeded, 34 failed, ${situation}`,
    );
  });

  it("leaves the time left out while it is unknown, and names rarer outcomes only when there are some", () => {
    const some = snapshot({ needsInput: 3, unprocessed: 1 });
    expect(renderPlainLine(some, { ...context, leftMs: undefined })).toBe(
      "partners-1: 1,238 of 2,000 rows (61 %), 1,200 succeeded, 34 failed, 3 need input, 1 unprocessed, 4.9 of 5 calls/s",
    );
  });
});

describe("toProgressEvent", () => {
  it("gives the snapshot with times in ISO 8601", () => {
    const down = snapshot({ agentDownSinceMs: NOW - 7_000, nextTryAtMs: NOW + 5_000 });
    expect(JSON.parse(JSON.stringify(toProgressEvent(down, 1_500.4)))).toEqual({
      type: "progress",
      at: "2026-11-30T22:14:10.000Z",
      runId: "partners-1",
      status: "running",
      statusReason: "",
      total: 2_000,
      pending: 700,
      open: 66,
      succeeded: 1_200,
      failed: 34,
      needsInput: 0,
      unprocessed: 0,
      sendPerSecond: 4.94,
      sendLimit: 5,
      redisAway: false,
      percent: 61,
      leftMs: 1_500,
      agentDownSince: "2026-11-30T22:14:03.000Z",
      nextTryAt: "2026-11-30T22:14:15.000Z",
    });
  });

  it("leaves out what is unknown", () => {
    const event = JSON.stringify(toProgressEvent(snapshot(), undefined));
    expect(event).not.toMatch(/leftMs|agentDown|nextTry/);
  });
});

describe("renderSummary", () => {
  it("tells counts, reasons, files and the next command", () => {
    const text = renderSummary({
      snapshot: snapshot({
        status: "completed",
        pending: 0,
        open: 0,
        succeeded: 1_960,
        failed: 40,
      }),
      reused: 0,
      tookMs: 401_000,
      failuresByReason: { TASK_FAILED: 10, AGENT_REFUSED: 30 },
      files: [
        { name: "results", path: "/out/partners-1/results.csv" },
        { name: "failures", path: "/out/partners-1/failures.csv" },
      ],
      next: [{ purpose: "try the failures again", command: "onboard-batch run failures.csv" }],
    });
    expect(text.split("\n")).toEqual([
      "Run partners-1 is completed",
      "  2,000 rows: 1,960 succeeded, 40 failed",
      "  failed: AGENT_REFUSED 30, TASK_FAILED 10",
      "  took 6 min 41 s",
      "",
      "Files:",
      "  results   /out/partners-1/results.csv",
      "  failures  /out/partners-1/failures.csv",
      "",
      "Next:",
      "  try the failures again  onboard-batch run failures.csv",
    ]);
  });

  it("tells how many rows earlier runs have answered", () => {
    const rest = { tookMs: 1_000, failuresByReason: {}, files: [], next: [] };
    const linesOf = (reused: number): readonly string[] =>
      renderSummary({ snapshot: snapshot(), reused, ...rest }).split("\n");
    expect(linesOf(1_990)).toContain(
      "  1,990 rows with answers of earlier runs, no call made for them",
    );
    expect(linesOf(1)).toContain("  1 row with an answer of an earlier run, no call made for it");
  });

  it("says how much is not finished and leaves empty parts out", () => {
    const text = renderSummary({
      snapshot: snapshot({ failed: 0 }),
      reused: 0,
      tookMs: 1_000,
      failuresByReason: {},
      files: [],
      next: [],
    });
    expect(text.split("\n")).toEqual([
      "Run partners-1 is not finished",
      "  2,000 rows: 1,200 succeeded, 0 failed, 766 not finished",
      "  took 1 s",
    ]);
  });
});

describe("describeStatus", () => {
  it("gives the reason where there is one", () => {
    expect(describeStatus({ status: "stopped", statusReason: "max-failures" })).toBe(
      "was stopped: too many rows failed",
    );
    expect(describeStatus({ status: "canceled", statusReason: "operator" })).toBe(
      "was canceled by an operator",
    );
  });
});
