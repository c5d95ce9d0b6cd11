import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../../src/runs/journal-file.ts";
import {
  listOutputFiles,
  listRunsOnDisk,
  readRunOnDisk,
  runFolder,
} from "../../../src/runs/run-folder.ts";
import { tempFolder } from "../csv/temp-folder.ts";
import { HEADER, makeRun, succeeded } from "./run-fixture.ts";

const SUMMARY = { schemaVersion: 1, runId: "settled-1", status: "completed" };

async function makeFile(outDir: string, name: string, text: string): Promise<void> {
  const file = path.join(outDir, name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text);
}

it("has the public names below <out>/<run id>", () => {
  expect(runFolder("/out", "r-1")).toEqual({
    dir: "/out/r-1",
    input: "/out/r-1/input",
    journal: "/out/r-1/journal.ndjson",
    summary: "/out/r-1/summary.json",
    files: "/out/r-1/files",
    report: "/out/r-1/report.html",
    results: "/out/r-1/results.csv",
    resultsJsonl: "/out/r-1/results.jsonl",
    failures: "/out/r-1/failures.csv",
    needsInput: "/out/r-1/needs-input.csv",
    unprocessed: "/out/r-1/unprocessed.csv",
  });
});

describe("the runs of an output folder", () => {
  it("are none when there is no such folder", async () => {
    expect(await listRunsOnDisk(path.join(await tempFolder(), "missing"))).toEqual([]);
  });

  it("are those with a journal or a summary, and nothing else", async () => {
    const { outDir, journal } = await makeRun("name\nACME\n");
    await journal(succeeded(1));
    await makeFile(outDir, "settled-1/summary.json", JSON.stringify(SUMMARY));
    await makeFile(outDir, "photos/cat.jpg", "");
    await makeFile(outDir, "notes.txt", "");
    const runs = await listRunsOnDisk(outDir);
    expect(runs.toSorted((a, b) => (a.runId < b.runId ? -1 : 1))).toEqual([
      { runId: HEADER.settings.runId, header: HEADER, summary: undefined },
      { runId: "settled-1", header: undefined, summary: { ...SUMMARY, reused: 0 } },
    ]);
  });
});

describe("one run on disk", () => {
  it("has header and summary when both are there", async () => {
    const outDir = await tempFolder();
    await makeFile(outDir, "r/summary.json", JSON.stringify(SUMMARY));
    const journal = await openJournal(runFolder(outDir, "r").journal, HEADER);
    await journal.close();
    expect(await readRunOnDisk(outDir, "r")).toEqual({
      runId: "r",
      header: HEADER,
      // As an earlier version wrote it.
      summary: { ...SUMMARY, reused: 0 },
    });
  });

  it.each([
    ["an empty journal", "r/journal.ndjson", ""],
    ["a journal whose header was torn", "r/journal.ndjson", '{"type":"run","sett'],
    ["a journal that does not begin with a header", "r/journal.ndjson", '{"type":"outcome"}\n'],
    ["a damaged summary", "r/summary.json", '{"runId":'],
  ])("is not known from %s", async (_what, name, text) => {
    const outDir = await tempFolder();
    await makeFile(outDir, name, text);
    expect(await readRunOnDisk(outDir, "r")).toEqual({
      runId: "r",
      header: undefined,
      summary: undefined,
    });
  });
});

describe("the files that a run's folder offers", () => {
  it("are sorted, without the input copy and what is not whole yet", async () => {
    const outDir = await tempFolder();
    const names = ["results.csv", "input", "failures.csv", "results.csv.1.partial", "input.csv"];
    for (const name of names) await makeFile(outDir, name, "");
    expect(await listOutputFiles(outDir)).toEqual(["failures.csv", "input.csv", "results.csv"]);
  });

  it("are none when there is no such folder", async () => {
    expect(await listOutputFiles(path.join(await tempFolder(), "missing"))).toEqual([]);
  });
});
