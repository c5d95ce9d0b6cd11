import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createOutput } from "../../../src/cli/output.ts";
import {
  chooseProgress,
  createProgressReporter,
  type ProgressReporter,
  type ShownProgress,
  showSummary,
} from "../../../src/cli/progress.ts";
import type { ProgressSnapshot } from "../../../src/core/progress-line.ts";
import { fakeIo } from "./fake-io.ts";

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 30, 22) });
});

afterEach(() => {
  vi.useRealTimers();
});

interface Setup {
  readonly reporter: ProgressReporter;
  readonly stderr: () => string;
  readonly lines: () => string[];
  readonly set: (over: Partial<ProgressSnapshot>) => void;
  readonly reads: () => number;
}

function setup(mode: ShownProgress): Setup {
  let over: Partial<ProgressSnapshot> = {};
  let reads = 0;
  const { io, stderr } = fakeIo({ terminal: mode === "tty" });
  const reporter = createProgressReporter({
    output: createOutput(io),
    mode,
    columns: () => 200,
    snapshot: () => {
      reads += 1;
      return {
        runId: "r",
        status: "running",
        statusReason: "",
        total: 1_000,
        pending: 1_000,
        open: 0,
        succeeded: 0,
        failed: 0,
        needsInput: 0,
        unprocessed: 0,
        sendPerSecond: 5,
        sendLimit: 5,
        nowMs: Date.now(),
        redisAway: false,
        ...over,
      };
    },
  });
  return {
    reporter,
    stderr,
    lines: () => stderr().split("\n").slice(0, -1),
    set: (next) => {
      over = next;
    },
    reads: () => reads,
  };
}

describe("progress off a terminal", () => {
  it("is a line at the begin, every 30 s and at each tenth", () => {
    const { reporter, lines, set } = setup("plain");
    reporter.start();
    expect(lines()).toHaveLength(1);
    vi.advanceTimersByTime(29_000);
    expect(lines()).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(lines()).toHaveLength(2);
    set({ succeeded: 99 });
    vi.advanceTimersByTime(1_000);
    expect(lines()).toHaveLength(2);
    set({ succeeded: 100 });
    vi.advanceTimersByTime(1_000);
    expect(lines()).toHaveLength(3);
    expect(lines()[2]).toContain("100 of 1,000 rows (10 %)");
    reporter.stop();
    expect(lines()).toHaveLength(3);
  });

  it("shows the last state at the end when it was not shown yet", () => {
    const { reporter, lines, set } = setup("plain");
    reporter.start();
    set({ succeeded: 7 });
    reporter.stop();
    expect(lines().at(-1)).toContain("7 succeeded");
  });

  it("tells the time left at the pace of the last minute", () => {
    const { reporter, lines, set } = setup("plain");
    reporter.start();
    for (let second = 1; second <= 300; second += 1) {
      // Slow for four minutes, ten a second in the last.
      set({ succeeded: second <= 240 ? 0 : (second - 240) * 10 });
      vi.advanceTimersByTime(1_000);
    }
    reporter.stop();
    expect(lines().at(-1)).toMatch(/600 succeeded.*40 s left/);
  });

  it("tells since when the agent is down, by the clock of whoever looks", () => {
    const { reporter, lines, set } = setup("plain");
    set({ agentDownSinceMs: Date.now() });
    reporter.start();
    reporter.stop();
    expect(lines()[0]).toContain(`agent down since ${new Date().toTimeString().slice(0, 8)}`);
  });

  it("goes on while Redis is away", () => {
    const { reporter, lines, set } = setup("plain");
    reporter.start();
    set({ redisAway: true });
    vi.advanceTimersByTime(30_000);
    expect(lines().at(-1)).toContain("Redis is away, waiting for it");
    reporter.stop();
  });
});

describe("progress as JSON", () => {
  it("is one object a line", () => {
    const { reporter, lines } = setup("json");
    reporter.start();
    vi.advanceTimersByTime(30_000);
    reporter.stop();
    expect(lines().map((line) => JSON.parse(line))).toMatchObject([
      { type: "progress", at: "2026-11-30T22:00:00.000Z", percent: 0 },
      { type: "progress", at: "2026-11-30T22:00:30.000Z", percent: 0 },
    ]);
  });
});

describe("progress on a terminal", () => {
  it("changes one line, ten times a second at most, and takes it away at the end", () => {
    const { reporter, stderr, set, reads } = setup("tty");
    reporter.start();
    set({ succeeded: 500 });
    vi.advanceTimersByTime(1_000);
    expect(reads()).toBe(11);
    reporter.stop();
    expect(stderr()).not.toContain("\n");
    expect(stderr()).toContain("\r\u001b[K500/1,000  50 %  500 succeeded");
    expect(stderr().endsWith("\r\u001b[K")).toBe(true);
  });
});

describe("no progress", () => {
  it("asks and shows nothing", () => {
    const { reporter, stderr, reads } = setup("none");
    reporter.start();
    vi.advanceTimersByTime(60_000);
    reporter.stop();
    expect([stderr(), reads()]).toEqual(["", 0]);
  });
});

describe("start and stop", () => {
  it("may come in any order and number and leave no timer", () => {
    const { reporter, lines } = setup("plain");
    reporter.stop();
    reporter.start();
    reporter.start();
    expect(vi.getTimerCount()).toBe(1);
    reporter.stop();
    reporter.stop();
    expect(vi.getTimerCount()).toBe(0);
    expect(lines()).toHaveLength(1);
  });
});

describe("chooseProgress", () => {
  it.each([
    ["auto", { stderrIsTerminal: true, quiet: false, isCi: false }, "tty"],
    ["auto", { stderrIsTerminal: true, quiet: false, isCi: true }, "plain"],
    ["auto", { stderrIsTerminal: false, quiet: false, isCi: false }, "plain"],
    ["json", { stderrIsTerminal: true, quiet: false, isCi: false }, "json"],
    ["tty", { stderrIsTerminal: false, quiet: true, isCi: false }, "none"],
  ] as const)("%s at %j is %s", (mode, place, shown) => {
    expect(chooseProgress(mode, place)).toBe(shown);
  });
});

describe("showSummary", () => {
  it("writes the block to stderr", () => {
    const { io, stderr, stdout } = fakeIo();
    showSummary(createOutput(io), {
      snapshot: {
        runId: "r",
        status: "completed",
        statusReason: "",
        total: 1,
        pending: 0,
        open: 0,
        succeeded: 1,
        failed: 0,
        needsInput: 0,
        unprocessed: 0,
        sendPerSecond: 0,
        sendLimit: 5,
        nowMs: 0,
        redisAway: false,
      },
      reused: 0,
      tookMs: 1_000,
      failuresByReason: {},
      files: [],
      next: [],
    });
    expect(stderr()).toBe("Run r is completed\n  1 rows: 1 succeeded, 0 failed\n  took 1 s\n");
    expect(stdout()).toBe("");
  });
});
