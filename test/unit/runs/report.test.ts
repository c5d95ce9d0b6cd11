import { existsSync } from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { EXIT } from "../../../src/core/exit-code.ts";
import type { FoundRun } from "../../../src/runs/find-run.ts";
import { reportRun } from "../../../src/runs/report.ts";
import { readRunOnDisk, runFolder } from "../../../src/runs/run-folder.ts";
import { tempFolder } from "../csv/temp-folder.ts";
import {
  FORM,
  failed,
  ignore,
  makeRun,
  type RunFixture,
  refusalOf,
  SETTINGS,
  succeeded,
} from "./run-fixture.ts";

const CSV = "name,city\nACME,Bonn\n,Paris\nGlobex,Rome\nInitech,Ulm\n";

async function found(outDir: string): Promise<FoundRun> {
  const onDisk = await readRunOnDisk(outDir, SETTINGS.runId);
  const { runId, startedAtMs } = SETTINGS;
  return { runId, startedAtMs, settings: onDisk.header?.settings, listed: undefined, onDisk };
}

const stopSignal = new AbortController().signal;

async function report({ outDir }: RunFixture, inputFile?: string, form = FORM) {
  return reportRun(
    { outDir, redis: undefined, inputFile, form, warn: ignore, stopSignal },
    await found(outDir),
  );
}

describe("a report without Redis", () => {
  it("puts every row into one file, those without outcome as PENDING", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1), failed(3));
    const { summary, folder } = await report(run);
    expect(folder).toEqual(runFolder(run.outDir, SETTINGS.runId));
    expect(await readFile(folder.results, "utf8")).toContain("ACME,Bonn,partners-1,1,2,task-1");
    expect(await readFile(folder.failures, "utf8")).toMatch(/,Paris,.*\nGlobex,Rome,.*\n$/);
    expect(await readFile(folder.unprocessed, "utf8")).toMatch(
      /Initech,Ulm,partners-1,4,5,PENDING\n$/,
    );
    expect(JSON.parse(await readFile(folder.summary, "utf8"))).toEqual(summary);
    expect(summary).toMatchObject({
      runId: "partners-1",
      status: "running",
      input: { file: "partners.csv", sha256: SETTINGS.sha256, rows: 4, delimiter: "," },
      rows: {
        total: 4,
        pending: 1,
        open: 0,
        succeeded: 1,
        failed: 2,
        needsInput: 0,
        unprocessed: 0,
      },
      failuresByReason: { NAME_MISSING: 1, TASK_FAILED: 1 },
      startedAt: "2026-11-30T20:00:00.000Z",
      updatedAt: "2026-11-30T20:00:04.500Z",
      finishedAt: "",
      files: [
        "failures.csv",
        "journal.ndjson",
        "report.html",
        "results.csv",
        "summary.json",
        "unprocessed.csv",
      ],
    });
  });

  it("leaves nothing else behind, and takes away a file that has no rows any more", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1));
    await report(run);
    expect(existsSync(run.folder.unprocessed)).toBe(true);
    await run.journal(succeeded(1), succeeded(3), succeeded(4));
    await report(run);
    expect(existsSync(run.folder.unprocessed)).toBe(false);
    expect(await readdir(run.outDir)).toEqual([SETTINGS.runId]);
    expect((await readdir(run.folder.dir)).toSorted()).toEqual([
      "failures.csv",
      "input",
      "journal.ndjson",
      "report.html",
      "results.csv",
      "summary.json",
    ]);
  });

  it("keeps what a settled summary says, and gives its reason to rows without outcome", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1));
    const { summary } = await report(run);
    const settled = {
      ...summary,
      status: "stopped",
      statusReason: "refused",
      rows: { ...summary.rows, pending: 0, unprocessed: 2 },
      calls: { ...summary.calls, sendMessage: 77 },
      finishedAt: "2026-11-30T21:00:00.000Z",
    };
    await writeFile(run.folder.summary, JSON.stringify(settled));
    expect((await report(run)).summary).toEqual(settled);
    expect(await readFile(run.folder.unprocessed, "utf8")).toContain("STOPPED");
  });

  it("passes over a torn last line of the journal", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1));
    await writeFile(run.folder.journal, '{"type":"outcome","outco', { flag: "a" });
    expect((await report(run)).summary.rows).toMatchObject({ total: 4, succeeded: 1, pending: 2 });
  });
});

describe("the form of a report", () => {
  it("is that of the command, and a results.jsonl stays true", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1));
    const first = await report(run, undefined, { ...FORM, excel: true, jsonl: true });
    expect(first.summary.files).toContain("results.jsonl");
    expect(await readFile(run.folder.results, "utf8")).toMatch(/^\uFEFFname;city;/);

    await run.journal(succeeded(3));
    const second = await report(run);
    expect(second.summary.files).toContain("results.jsonl");
    expect(await readFile(run.folder.results, "utf8")).toMatch(/^name,city,/);
    const lines = (await readFile(run.folder.resultsJsonl, "utf8")).split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain('"row":3');
  });
});

describe("a report is refused", () => {
  it("where the journal is gone", async () => {
    const run = await makeRun(CSV);
    await writeFile(run.folder.summary, JSON.stringify({ status: "completed" }));
    const error = await refusalOf(report(run), EXIT.usage);
    expect(error.message).toContain(`gone from ${run.folder.dir}`);
    expect((await readdir(run.folder.dir)).toSorted()).toEqual(["input", "summary.json"]);
  });

  it("when it is stopped, and leaves the files that were there", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1), failed(3));
    await report(run);
    const before = await readFile(run.folder.results, "utf8");
    await run.journal(succeeded(4));
    const reading = { outDir: run.outDir, redis: undefined, inputFile: undefined };
    const stopped = AbortSignal.abort(new Error("stop"));
    const deps = { ...reading, form: FORM, warn: ignore, stopSignal: stopped };
    await expect(reportRun(deps, await found(run.outDir))).rejects.toThrow("stop");
    expect(await readFile(run.folder.results, "utf8")).toBe(before);
    expect(await readdir(run.outDir)).toEqual([SETTINGS.runId]);
  });

  it("before the journal has begun", async () => {
    const { outDir } = await makeRun(CSV);
    const run = { ...(await found(outDir)), onDisk: undefined };
    const reading = { outDir, redis: undefined, inputFile: undefined };
    const deps = { ...reading, form: FORM, warn: ignore, stopSignal };
    const error = await refusalOf(reportRun(deps, run), EXIT.usage);
    expect(error.message).toContain("has no journal yet");
  });

  it("without the input, unless the right file is named", async () => {
    const run = await makeRun(CSV);
    await run.journal(succeeded(1));
    await rm(run.folder.input);
    const without = await refusalOf(report(run), EXIT.usage);
    expect(without.hint).toContain("--input");
    const other = path.join(await tempFolder(), "other.csv");
    await writeFile(other, CSV);
    const wrong = await refusalOf(report(run, other), EXIT.usage);
    expect(wrong.message).toContain("is not the file that the run was begun with");
    expect(wrong.hint).toContain(SETTINGS.sha256);
    expect(await readdir(run.outDir)).toEqual([SETTINGS.runId]);
  });
});
