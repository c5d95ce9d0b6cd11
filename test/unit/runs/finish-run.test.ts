import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { Progress } from "../../../src/core/progress.ts";
import { createStoryTeller } from "../../../src/core/run-story.ts";
import { finishRun, unprocessedReason, writeSummary } from "../../../src/runs/finish-run.ts";
import { inputFactsOf } from "../../../src/runs/scan-input.ts";
import {
  FORM,
  ignore,
  makeRun,
  type RunFixture,
  refusalOf,
  SETTINGS,
  succeeded,
} from "./run-fixture.ts";

const PROGRESS: Progress = {
  schemaVersion: 1,
  status: "stopped",
  statusReason: "refused",
  file: "partners.csv",
  total: 3,
  pending: 0,
  open: 0,
  succeeded: 1,
  failed: 1,
  needsInput: 0,
  unprocessed: 1,
  reused: 0,
  sendMessageCalls: 2,
  getTaskCalls: 4,
  cancelTaskCalls: 0,
  retries: 1,
  rateLimited: 0,
  startedAt: "2026-11-30T20:00:00.000Z",
  updatedAt: "2026-11-30T20:01:00.000Z",
  finishedAt: "2026-11-30T20:02:00.000Z",
  heartbeatAt: "2026-11-30T20:01:59.000Z",
};

function requestOf({ folder, plan, outDir }: RunFixture) {
  const { file, sha256 } = SETTINGS;
  return {
    settings: SETTINGS,
    folder,
    plan,
    form: FORM,
    answers: { stateDir: path.join(outDir, ".state"), keptMs: 86_400_000 },
    warn: ignore,
    progress: PROGRESS,
    input: inputFactsOf(plan, { file, sha256, rows: 3 }, { warnings: [], skipped: [] }),
    failuresByReason: { NAME_MISSING: 1 },
  };
}

const CSV = "name,city\nACME,Berlin\n,Paris\nGlobex,Rome\n";

describe("the end of a run", () => {
  it("writes the outputs and a summary that names every file", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1));
    const summary = await finishRun(requestOf(run));
    expect(summary).toMatchObject({
      schemaVersion: 1,
      runId: "partners-1",
      status: "stopped",
      statusReason: "refused",
      rows: { total: 3, succeeded: 1, failed: 1, unprocessed: 1 },
      failuresByReason: { NAME_MISSING: 1 },
      files: [
        "failures.csv",
        "journal.ndjson",
        "report.html",
        "results.csv",
        "summary.json",
        "unprocessed.csv",
      ],
    });
    expect(JSON.parse(await readFile(run.folder.summary, "utf8"))).toEqual(summary);
    const there = await readdir(run.folder.dir);
    expect(there.toSorted()).toEqual([...summary.files, "input"].toSorted());
  });

  it("says why rows were left, and when a row failed that was never sent", async () => {
    const run = await makeRun(CSV);
    await finishRun(requestOf(run));
    expect(await readFile(run.folder.unprocessed, "utf8")).toContain(
      "Globex,Rome,partners-1,3,4,STOPPED",
    );
    expect(await readFile(run.folder.failures, "utf8")).toContain(PROGRESS.startedAt);
  });

  it("leaves no summary when the outputs could not be written", async () => {
    const run = await makeRun(CSV);
    const folder = { ...run.folder, results: path.join(run.folder.dir, "gone", "results.csv") };
    await refusalOf(finishRun({ ...requestOf(run), folder }), 5);
    expect((await readdir(run.folder.dir)).toSorted()).toEqual(["input"]);
  });

  it("gives the same again", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1));
    const first = await finishRun(requestOf(run));
    const before = await readFile(run.folder.results, "utf8");
    expect(await finishRun(requestOf(run))).toEqual(first);
    expect(await readFile(run.folder.results, "utf8")).toBe(before);
  });
});

describe("a summary by itself", () => {
  it("names what lies there", async () => {
    const run = await makeRun(CSV);
    await writeFile(run.folder.failures, "");
    const { files } = await writeSummary(requestOf(run), {
      story: createStoryTeller().story(),
      warnings: [],
    });
    expect(files).toEqual(["failures.csv", "report.html", "summary.json"]);
  });
});

describe("why rows have no outcome", () => {
  it.each([
    ["canceled", "CANCELED"],
    ["stopped", "STOPPED"],
    ["running", "PENDING"],
    ["paused", "PENDING"],
    ["stopping", "PENDING"],
    ["ingesting", "PENDING"],
    ["completed", "PENDING"],
  ] as const)("in a run that is %s: %s", (status, reason) => {
    expect(unprocessedReason({ status })).toBe(reason);
  });
});
