import { rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import type { FoundRun } from "../../../src/runs/find-run.ts";
import { readRunOnDisk } from "../../../src/runs/run-folder.ts";
import { computeActivity, readStanding } from "../../../src/runs/status.ts";
import { makeRun, type RunFixture, SETTINGS, succeeded } from "./run-fixture.ts";

const NOW_MS = Date.UTC(2026, 10, 30, 21);

describe("whether anybody works on a run", () => {
  it.each([
    ["completed", "2026-11-30T20:59:59.000Z", { kind: "settled" }],
    ["running", "2026-11-30T20:59:45.000Z", { kind: "worked-on", heartbeatAgeMs: 15_000 }],
    ["running", "2026-11-30T20:59:44.999Z", { kind: "left", heartbeatAgeMs: 15_001 }],
    ["ingesting", "", { kind: "left", heartbeatAgeMs: NOW_MS }],
  ] as const)("%s with its last heartbeat at %s", (status, heartbeatAt, activity) => {
    expect(computeActivity({ status, heartbeatAt }, NOW_MS)).toEqual(activity);
  });
});

async function standing({ outDir, folder }: RunFixture, over: Partial<FoundRun> = {}) {
  const warnings: string[] = [];
  const { runId, startedAtMs } = SETTINGS;
  const onDisk = await readRunOnDisk(outDir, runId);
  const { header } = onDisk;
  const run = { runId, startedAtMs, settings: header?.settings, listed: undefined, onDisk };
  const deps = { outDir, redis: undefined, apiKey: undefined };
  const read = await readStanding(
    { ...deps, warn: (text) => warnings.push(text) },
    { ...run, ...over },
  );
  return { ...read, warnings, dir: folder.dir };
}

describe("a run that only the disk knows", () => {
  it("is counted from input and journal", async () => {
    const run = await makeRun("name\nACME\nGlobex\n");
    await run.journal(succeeded(2));
    const read = await standing(run);
    expect(read).toMatchObject({
      activity: { kind: "unknown" },
      agent: { kind: "there" },
      place: { host: hostname(), dir: read.dir },
      settings: SETTINGS,
      summary: {
        status: "running",
        rows: { total: 2, pending: 1, succeeded: 1 },
        files: ["journal.ndjson"],
      },
      warnings: [],
    });
  });

  it("is what its settled summary says", async () => {
    const run = await makeRun("name\nACME\n");
    await run.journal(succeeded(1));
    const { summary } = await standing(run);
    const settled = { ...summary, status: "canceled", files: ["journal.ndjson", "summary.json"] };
    await writeFile(run.folder.summary, JSON.stringify(settled));
    expect(await standing(run)).toMatchObject({ activity: { kind: "settled" }, summary: settled });
  });

  it("is shown without counts, and people are told, when its input is gone", async () => {
    const run = await makeRun("name\nACME\n");
    await run.journal(succeeded(1));
    await rm(run.folder.input);
    const { summary, warnings } = await standing(run);
    expect(summary).toMatchObject({
      input: { file: "partners.csv", sha256: SETTINGS.sha256 },
      rows: { total: 0, succeeded: 0 },
      startedAt: "2026-11-30T20:00:00.000Z",
    });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toContain("the rows of partners-1 cannot be counted");
  });

  it("is what an earlier report said when its journal and its input are gone", async () => {
    const run = await makeRun("name\nACME\n");
    await run.journal(succeeded(1));
    const { summary } = await standing(run);
    await writeFile(run.folder.summary, JSON.stringify(summary));
    await rm(run.folder.journal);
    expect((await standing(run)).summary.rows).toEqual(summary.rows);
  });

  it("has neither place nor times when nothing is left of it but its name", async () => {
    const run = await makeRun("name\nACME\n");
    const read = await standing(run, { onDisk: undefined, settings: undefined });
    expect(read.place).toBeUndefined();
    expect(read.summary).toMatchObject({ startedAt: "", rows: { total: 0 }, files: [] });
  });
});
