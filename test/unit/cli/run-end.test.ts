import { describe, expect, it } from "vitest";
import { createOutput } from "../../../src/cli/output.ts";
import { type RunEndPlace, showRunEnd } from "../../../src/cli/run-end.ts";
import type { Config } from "../../../src/config/schema.ts";
import { OnboardError } from "../../../src/core/errors.ts";
import { EXIT } from "../../../src/core/exit-code.ts";
import type { RunSummaryFile } from "../../../src/core/summary.ts";
import type { RunEnd } from "../../../src/runs/run-context.ts";
import { runFolder } from "../../../src/runs/run-folder.ts";
import { fakeIo } from "./fake-io.ts";

const SUMMARY: RunSummaryFile = {
  schemaVersion: 1,
  runId: "partners-1",
  status: "completed",
  statusReason: "",
  input: {
    file: "partners.csv",
    sha256: "a".repeat(64),
    rows: 10,
    encoding: "utf-8",
    delimiter: ",",
    skipped: [],
    warnings: [],
  },
  rows: {
    total: 10,
    pending: 0,
    open: 0,
    succeeded: 10,
    failed: 0,
    needsInput: 0,
    unprocessed: 0,
  },
  reused: 0,
  failuresByReason: {},
  calls: { sendMessage: 10, getTask: 20, cancelTask: 0, retries: 0, rateLimited: 0 },
  startedAt: "2026-11-30T20:00:00.000Z",
  updatedAt: "2026-11-30T20:02:33.000Z",
  finishedAt: "2026-11-30T20:02:33.000Z",
  files: ["failures.csv", "journal.ndjson", "results.csv", "summary.json"],
};

const END: RunEnd = {
  runId: "partners-1",
  exitCode: EXIT.ok,
  folder: runFolder("/data/out", "partners-1"),
  summary: SUMMARY,
  wasSettled: false,
  error: undefined,
};

function summary(rows: Partial<RunSummaryFile["rows"]>, over: Partial<RunSummaryFile> = {}) {
  return { ...SUMMARY, ...over, rows: { ...SUMMARY.rows, ...rows } };
}

interface Shown {
  readonly stdout: string;
  readonly stderr: string;
}

/** What a person or a program gets to see of a run's end. */
function show(
  end: Partial<RunEnd> & Partial<Pick<RunEndPlace, "file">>,
  terminal: Partial<Config["terminal"]> = {},
): Shown {
  const { io, stdout, stderr } = fakeIo();
  const style: Config["terminal"] = {
    progress: "auto",
    json: false,
    quiet: false,
    verbose: false,
    logData: false,
    color: "auto",
    input: true,
    yes: false,
    force: false,
    ...terminal,
  };
  const { file, ...over } = { file: "partners.csv", ...end };
  const place = { output: createOutput(io), terminal: style, file, tookMs: 9_000 };
  showRunEnd(place, { ...END, ...over });
  return { stdout: stdout(), stderr: stderr() };
}

describe("a run on which all went well", () => {
  it("is told with its counts, its time and its files, and needs no next step", () => {
    const { stdout, stderr } = show({});
    expect(stdout).toBe("");
    expect(stderr).toContain("Run partners-1 is completed");
    expect(stderr).toContain("10 rows: 10 succeeded, 0 failed");
    expect(stderr).toContain("took 2 min 33 s");
    expect(stderr).toContain("/data/out/partners-1/results.csv");
    expect(stderr).toContain("/data/out/partners-1/summary.json");
    expect(stderr).not.toContain("unprocessed.csv");
    expect(stderr).not.toContain("Next:");
  });

  it("says nothing at all with --quiet", () => {
    expect(show({}, { quiet: true })).toEqual({ stdout: "", stderr: "" });
  });

  it("gives programs the summary and nothing else on stdout", () => {
    expect(JSON.parse(show({}, { json: true }).stdout)).toEqual(SUMMARY);
    expect(JSON.parse(show({}, { json: true, quiet: true }).stdout)).toEqual(SUMMARY);
  });

  it("says that nothing was sent when it had been settled before", () => {
    expect(show({ wasSettled: true }).stderr).toContain("is settled: nothing was sent");
  });

  it("is timed by this process when the summary knows no times", () => {
    const untimed = summary({}, { startedAt: "", updatedAt: "", finishedAt: "" });
    expect(show({ summary: untimed }).stderr).toContain("took 9 s");
  });
});

describe("the next steps", () => {
  const COUNTED = { exitCode: EXIT.rowsFailed };

  it("send failed rows again, or begin anew", () => {
    const ended = summary({ succeeded: 8, failed: 2 }, { failuresByReason: { TASK_FAILED: 2 } });
    const { stderr } = show({ ...COUNTED, summary: ended });
    expect(stderr).toContain("failed: TASK_FAILED 2");
    expect(stderr).toContain("send failed rows again  onboard-batch retry partners-1");
    expect(stderr).toContain("onboard-batch run /data/out/partners-1/failures.csv");
    expect(stderr).toContain("onboard-batch run partners.csv --fresh");
    expect(stderr).not.toContain("onboard-batch report");
  });

  it("offer no retry of rows that would end alike", () => {
    const ended = summary({ succeeded: 8, failed: 2 }, { failuresByReason: { TASK_REJECTED: 2 } });
    const { stderr } = show({ ...COUNTED, summary: ended });
    expect(stderr).not.toContain("retry");
    expect(stderr).toContain("onboard-batch run /data/out/partners-1/failures.csv");
  });

  it("name no file that has no rows", () => {
    const ended = summary({ succeeded: 8, needsInput: 2 });
    expect(show({ ...COUNTED, summary: ended }).stderr).not.toContain("run /data");
  });

  it("are told with --quiet, too, when something went wrong", () => {
    const ended = summary({ succeeded: 8, failed: 2 });
    expect(show({ ...COUNTED, summary: ended }, { quiet: true }).stderr).toContain("Next:");
  });

  it("of a stopped run are its report and the rows that are left", () => {
    const ended = summary(
      { succeeded: 0, failed: 6, unprocessed: 4 },
      { status: "stopped", statusReason: "refused", files: ["unprocessed.csv"] },
    );
    const { stderr } = show({ exitCode: EXIT.stopped, summary: ended });
    expect(stderr).toContain("Run partners-1 was stopped: the agent refused the first rows");
    expect(stderr).toContain("onboard-batch report partners-1");
    expect(stderr).toContain("send the rows that are left  onboard-batch retry partners-1");
    expect(stderr).toContain("onboard-batch run /data/out/partners-1/failures.csv");
  });

  it("begin nothing anew where no file was given", () => {
    const ended = summary({ succeeded: 8, failed: 2 });
    const { stderr } = show({ ...COUNTED, summary: ended, file: undefined });
    expect(stderr).not.toContain("--fresh");
  });

  it("can be typed as they stand, whatever the file is called", () => {
    const ended = summary({ succeeded: 8, failed: 2 });
    const { stderr } = show({ ...COUNTED, summary: ended, file: "my partners.csv" });
    expect(stderr).toContain("onboard-batch run 'my partners.csv' --fresh");
  });
});

describe("a run that was ended early", () => {
  const EARLY = { exitCode: EXIT.interrupted, summary: undefined };

  it("says how to go on and how to see what there is", () => {
    const { stdout, stderr } = show(EARLY);
    expect(stdout).toBe("");
    expect(stderr).toContain("Run partners-1 is not finished; nothing is lost.");
    expect(stderr).toContain("the same command again\n");
    expect(stderr).toContain("onboard-batch report partners-1\n");
  });

  it("says first what ended it, with the way to mend it", () => {
    const error = new OnboardError(EXIT.credentials, "the agent refused the credentials", {
      hint: "check ONBOARD_BATCH_API_KEY",
    });
    const { stderr } = show({ exitCode: EXIT.credentials, summary: undefined, error });
    const [first, second] = stderr.split("\n");
    expect(first).toBe("error: the agent refused the credentials");
    expect(second).toBe("check ONBOARD_BATCH_API_KEY");
    expect(stderr).toContain("is not finished");
  });
});
