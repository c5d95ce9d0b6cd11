import { describe, expect, it } from "vitest";
import { renderRun, renderRunTable } from "../../../src/cli/status-text.ts";
import type { RunSummaryFile } from "../../../src/core/summary.ts";
import type { RunStanding } from "../../../src/runs/status.ts";
import { SETTINGS } from "../runs/run-fixture.ts";

const SUMMARY: RunSummaryFile = {
  schemaVersion: 1,
  runId: "partners-1",
  status: "running",
  statusReason: "",
  input: {
    file: "partners.csv",
    sha256: "a".repeat(64),
    rows: 1_200,
    encoding: "utf-8",
    delimiter: ",",
    skipped: [],
    warnings: [],
  },
  rows: {
    total: 1_200,
    pending: 1_000,
    open: 20,
    succeeded: 150,
    failed: 20,
    needsInput: 10,
    unprocessed: 0,
  },
  reused: 0,
  failuresByReason: { TASK_REJECTED: 5, TASK_FAILED: 15 },
  calls: { sendMessage: 210, getTask: 400, cancelTask: 1, retries: 10, rateLimited: 2 },
  startedAt: "2026-11-30T20:00:00.000Z",
  updatedAt: "2026-11-30T20:01:00.000Z",
  finishedAt: "",
  files: ["journal.ndjson", "results.csv", "summary.json"],
};

const STANDING: RunStanding = {
  summary: SUMMARY,
  activity: { kind: "worked-on", heartbeatAgeMs: 2_000 },
  agent: { kind: "there" },
  settings: SETTINGS,
  place: { host: "host-1", dir: "/out/partners-1" },
};

const LEFT: RunStanding = {
  ...STANDING,
  activity: { kind: "left", heartbeatAgeMs: 183_000 },
};

describe("the table of all runs", () => {
  it("has a line for each under a line of titles, in columns", () => {
    const settled: RunStanding = {
      ...STANDING,
      activity: { kind: "settled" },
      summary: {
        ...SUMMARY,
        runId: "p-2",
        status: "stopped",
        statusReason: "max-failures",
        rows: { ...SUMMARY.rows, pending: 0, open: 0, unprocessed: 1_020 },
      },
    };
    expect(renderRunTable([STANDING, settled]).split("\n")).toEqual([
      "RUN         STATUS   REASON               DONE  SUCCEEDED  FAILED  NEEDS INPUT  STARTED               HEARTBEAT",
      "partners-1  running  -               180/1,200        150      20           10  2026-11-30 20:00:00Z  2 s ago",
      "p-2         stopped  max-failures  1,200/1,200        150      20           10  2026-11-30 20:00:00Z  -",
    ]);
  });

  it("says of a run that should go on when no process works on it", () => {
    expect(renderRunTable([LEFT])).toContain("partners-1  no process works on it  -");
    expect(renderRunTable([LEFT])).toContain("3 min 3 s ago");
  });

  it("leaves a paused run as it is, and says what is not known", () => {
    const paused = { ...LEFT, summary: { ...SUMMARY, status: "paused" as const } };
    expect(renderRunTable([paused])).toContain("partners-1  paused");
    const unknown = {
      ...STANDING,
      activity: { kind: "unknown" as const },
      summary: { ...SUMMARY, startedAt: "" },
    };
    expect(renderRunTable([unknown])).toMatch(/ running .* - +unknown$/);
  });
});

describe("the block of one run", () => {
  it("tells counts, calls, rate, agent, times, place and files", () => {
    expect(renderRun(STANDING).split("\n")).toEqual([
      "Run partners-1 is not finished; last sign of life 2 s ago",
      "  file         partners.csv, 1,200 rows",
      "  rows         150 succeeded, 20 failed, 10 need input, 20 at the agent, 1,000 pending",
      "  failures     TASK_FAILED 15, TASK_REJECTED 5",
      "  calls        210 SendMessage (10 repeated), 400 GetTask, 1 CancelTask, 2 refused for their rate",
      "  rate         3.5 SendMessage/s on average; allowed are 5 SendMessage/s and 20 GetTask/s",
      "  agent        https://agent.example/",
      "  started      2026-11-30 20:00:00Z",
      "  last change  2026-11-30 20:01:00Z",
      "  folder       /out/partners-1 on host-1",
      "",
      "Files:",
      "  results  /out/partners-1/results.csv",
      "  summary  /out/partners-1/summary.json",
    ]);
  });

  it("says when no process works on it", () => {
    const reused = { ...STANDING, summary: { ...SUMMARY, reused: 100 } };
    expect(renderRun(reused)).toContain("reused       100 rows with answers of earlier runs");
    expect(renderRun(LEFT)).toContain("; no process works on it, last sign of life 3 min 3 s ago");
  });

  it.each([
    [
      { sinceMs: Date.UTC(2026, 10, 30, 20, 5), nextTryAtMs: Date.UTC(2026, 10, 30, 20, 6) },
      "https://agent.example/ is down since 2026-11-30 20:05:00Z, next try 2026-11-30 20:06:00Z",
    ],
    [undefined, "https://agent.example/ is down\n"],
  ])("says that the agent is down, and since when where it is known (%j)", (since, text) => {
    expect(renderRun({ ...STANDING, agent: { kind: "away", since } })).toContain(text);
  });

  it("leaves out what nobody knows", () => {
    const block = renderRun({
      ...STANDING,
      activity: { kind: "unknown" },
      settings: undefined,
      place: undefined,
      summary: { ...SUMMARY, failuresByReason: {}, startedAt: "", updatedAt: "" },
    });
    expect(block).toContain("is not finished; Redis knows nothing of it");
    expect(block).toContain("0 SendMessage/s on average\n");
    expect(block).not.toMatch(/failures|agent {2}|folder|Files/);
  });

  it("tells when a settled run finished", () => {
    const summary = {
      ...SUMMARY,
      status: "completed" as const,
      finishedAt: "2026-11-30T20:02:00.000Z",
    };
    const block = renderRun({ ...STANDING, activity: { kind: "settled" }, summary });
    expect(block).toMatch(/^Run partners-1 is completed\n/);
    expect(block).toContain("  finished  2026-11-30 20:02:00Z");
  });
});
