import { existsSync } from "node:fs";
import { readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { RunSummaryFile } from "../../src/core/summary.ts";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import type { CliProcess } from "../helpers/cli-process.ts";
import { allRows, readOutputs, rowNumbers, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage, type Stage } from "../helpers/stage.ts";

/** Rows 6 to 8 stay open: for ever, or for so long. */
function withOpenRows(resumeAfterMs?: number): SandboxOptions {
  const resume = resumeAfterMs === undefined ? {} : { resumeAfterMs };
  return {
    duration: { kind: "fixed", ms: 0 },
    faults: [6, 7, 8].map((row) => ({
      match: { textIncludes: `Partner ${row} `, method: "SendMessage" },
      effect: { kind: "end", state: "WORKING", ...resume },
    })),
  };
}

/** Starts a run of 8 rows and waits until it stands at 5, in the journal too; it gets no further. */
async function startStuckRun(stage: Stage): Promise<CliProcess> {
  await stage.agent(withOpenRows());
  const child = await startRun(stage);
  await journalHas(stage, 5);
  return child;
}

async function startRun(stage: Stage): Promise<CliProcess> {
  const child = stage.start("run", await stage.partners(8), "--rate", "100");
  await stage.watch().until(({ succeeded }) => succeeded === "5");
  return child;
}

/** The journal is written within a round of the collector; each look is a new reading of the file. */
async function journalHas(stage: Stage, outcomes: number): Promise<void> {
  await expect
    .poll(
      async () => {
        const text = await readFile(path.join(stage.outDir, stage.runId, "journal.ndjson"), "utf8");
        return text.split("\n").filter((line) => line.startsWith('{"type":"outcome"')).length;
      },
      { timeout: 10_000 },
    )
    .toBe(outcomes);
}

function sumOf({ rows }: RunSummaryFile): number {
  const { total: _, ...parts } = rows;
  return Object.values(parts).reduce((sum, count) => sum + count, 0);
}

function parse(stdout: string): RunSummaryFile {
  return JSON.parse(stdout) as RunSummaryFile;
}

describe.concurrent("report", () => {
  test("writes what is known while another process works, and the run ends as if nothing had been", async (context) => {
    const stage = await openStage(context);
    const gateway = await stage.gateway(await stage.agent(withOpenRows(8_000)));
    const child = await startRun(stage);
    await gateway.cut();
    await journalHas(stage, 5);

    const report = await stage.run("report", stage.runId, "--json");
    expect(report.exitCode).toBe(0);
    const early = await readOutputs(stage.outDir, stage.runId);
    expect(parse(report.stdout)).toEqual(early.summary);
    expect(early.summary.status).toBe("running");
    expect(early.summary.rows).toMatchObject({ total: 8, succeeded: 5, unprocessed: 0 });
    expect(sumOf(early.summary)).toBe(8);
    expect(allRows(early)).toEqual(rowsUpTo(8));
    expect(rowNumbers(early.unprocessed.rows)).toEqual([6, 7, 8]);
    expect(early.unprocessed.rows.map((row) => row["onboard_reason"])).toEqual(
      Array.from({ length: 3 }, () => "PENDING"),
    );

    await gateway.mend();
    expect((await child.ended).exitCode).toBe(0);
    const final = await readOutputs(stage.outDir, stage.runId);
    expect(rowNumbers(final.results.rows)).toEqual(rowsUpTo(8));
    expect(final.summary).toMatchObject({ status: "completed", rows: { succeeded: 8 } });
    expect(final.names).toEqual([
      "failures.csv",
      "input",
      "journal.ndjson",
      "report.html",
      "results.csv",
      "summary.json",
    ]);
  });

  test("makes the files of a settled run again, byte for byte, and prints their paths", async (context) => {
    const stage = await openStage(context);
    await stage.agent();
    await stage.run("run", await stage.partners(3), "--rate", "100");
    const before = await readOutputs(stage.outDir, stage.runId);
    await rm(path.join(before.dir, "results.csv"));
    await rm(path.join(before.dir, "failures.csv"));

    const report = await stage.run("report", stage.runId);
    expect(report.exitCode).toBe(0);
    expect(report.stdout).toBe(
      ["results.csv", "failures.csv", "report.html", "summary.json"]
        .map((name) => `${path.join(before.dir, name)}\n`)
        .join(""),
    );
    const after = await readOutputs(stage.outDir, stage.runId);
    expect(after.results.text).toBe(before.results.text);
    expect(after.failures.text).toBe(before.failures.text);
    expect(after.summary).toEqual(before.summary);
  });

  test("counts journal and input when Redis is gone, and says so", async (context) => {
    const stage = await openStage(context);
    const redis = await stage.privateRedis();
    const child = await startStuckRun(stage);
    await child.kill();
    await redis.kill();

    const [report, status] = await Promise.all([
      stage.run("report", stage.runId, "--json"),
      stage.run("status", stage.runId.slice(0, -2)),
    ]);
    expect(report.exitCode).toBe(0);
    expect(report.stderr).toContain("did not answer within 10 s");
    const outputs = await readOutputs(stage.outDir, stage.runId);
    expect(parse(report.stdout)).toEqual(outputs.summary);
    expect(outputs.summary).toMatchObject({
      status: "running",
      rows: { total: 8, pending: 3, open: 0, succeeded: 5, failed: 0 },
      input: { file: "partners.csv", rows: 8 },
      calls: { sendMessage: 5, retries: 0 },
      finishedAt: "",
    });
    expect(allRows(outputs)).toEqual(rowsUpTo(8));
    expect(status.exitCode).toBe(0);
    expect(status.stdout).toContain("5 succeeded, 0 failed, 3 pending");
    expect(status.stdout).toContain("Redis knows nothing of it");
  });

  test("refuses another output folder, naming host and folder", async (context) => {
    const stage = await openStage(context);
    const child = await startStuckRun(stage);
    const report = await stage.run("report", stage.runId, "--out", path.join(stage.dir, "else"));
    expect(report.exitCode).toBe(2);
    expect(report.stderr).toContain(
      `writes to ${path.join(stage.outDir, stage.runId)} on ${hostname()}`,
    );
    await child.kill();
  });
});

describe.concurrent("status", () => {
  test("names a run by its beginning, and prints its summary as JSON or all runs as a table", async (context) => {
    const stage = await openStage(context);
    await stage.privateRedis();
    await stage.agent();
    await stage.run("run", await stage.partners(2), "--rate", "100");
    const { summary } = await readOutputs(stage.outDir, stage.runId);
    const [beginning, all, table] = await Promise.all([
      stage.run("status", stage.runId.slice(0, -1), "--json"),
      stage.run("status", "--json"),
      stage.run("status"),
    ]);
    expect(parse(beginning.stdout)).toEqual(summary);
    expect(JSON.parse(all.stdout)).toEqual([summary]);
    const lines = table.stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(new RegExp(`^${stage.runId} +completed +- +2/2 +2 +0 +0 `));
  });

  test("shows a run from any folder on its host, and that nobody works on it after 15 s", async (context) => {
    const stage = await openStage(context);
    const child = await startStuckRun(stage);
    const elsewhere = ["--out", path.join(stage.dir, "else")];
    const alive = await stage.run("status", stage.runId, ...elsewhere);
    expect(alive.stdout).toContain("last sign of life");
    expect(alive.stdout).not.toContain("no process works on it");
    expect(alive.stdout).toContain(`${path.join(stage.outDir, stage.runId)} on ${hostname()}`);

    await child.kill();
    const longAgo = new Date(Date.now() - 15_500).toISOString();
    await stage.redis.hset(`onboard-batch:{${stage.runId}}:progress`, "heartbeatAt", longAgo);
    const table = (await stage.run("status", ...elsewhere)).stdout.split("\n");
    const line = table.find((text) => text.startsWith(stage.runId));
    expect(line).toMatch(/ no process works on it +- +5\/8 +5 +0 +0 .* ago$/);
    const one = await stage.run("status", stage.runId, "--json", ...elsewhere);
    expect(parse(one.stdout)).toMatchObject({
      status: "running",
      rows: { total: 8, succeeded: 5, pending: 0, open: 3 },
      files: ["journal.ndjson"],
    });
  });

  test("tells since when the agent is down", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 0 } });
    const gateway = await stage.gateway(agent);
    const file = await stage.partners(60);
    const child = stage.start("run", file, "--rate", "20");
    const watch = stage.watch(stage.runId);
    await watch.until(({ succeeded }) => Number(succeeded) > 5);
    await gateway.cut();
    await watch.until(({ statusReason }) => statusReason === "agent-down");
    const status = await stage.run("status", stage.runId);
    expect(status.stdout).toMatch(/ is down since \d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ/);
    await child.kill();
  });

  test("starts no private Redis that has never been, and shows what the folder has", async (context) => {
    const stage = await openStage(context);
    stage.setEnv({ ONBOARD_BATCH_REDIS: undefined });
    const none = await stage.run("status");
    expect(none).toMatchObject({ exitCode: 0, stdout: "" });
    expect(none.stderr).toContain("There is no run");
    expect((await stage.run("status", "--json")).stdout).toBe("[]\n");
    expect(existsSync(path.join(stage.dir, "state"))).toBe(false);
  });

  test("asks the private Redis that has been, from any folder", async (context) => {
    const stage = await openStage(context);
    stage.setEnv({ ONBOARD_BATCH_REDIS: undefined });
    await stage.agent();
    await stage.run("run", await stage.partners(2), "--rate", "100");
    const elsewhere = await stage.run("status", "--last", "--json", "--out", stage.dir);
    expect(parse(elsewhere.stdout)).toEqual((await readOutputs(stage.outDir, stage.runId)).summary);
  });
});

test("status --watch tells a run again and again until it is settled", async (context) => {
  const stage = await openStage(context);
  await stage.agent(withOpenRows(4_000));
  const child = await startRun(stage);
  const watched = await stage.run("status", stage.runId, "--watch", "--json");
  expect(watched.exitCode, watched.stderr).toBe(0);
  const documents = watched.stdout.split(/(?<=^\})\n/m).filter((text) => text !== "");
  const statuses = documents.map((text) => parse(text).status);
  expect(statuses.length).toBeGreaterThan(1);
  expect(new Set(statuses.slice(0, -1))).toEqual(new Set(["running"]));
  expect(statuses.at(-1)).toBe("completed");
  expect((await child.ended).exitCode).toBe(0);
});

test("status --watch ends with the signal that interrupts it", async (context) => {
  const stage = await openStage(context);
  const child = await startStuckRun(stage);
  const watching = stage.start("status", stage.runId, "--watch");
  await expect.poll(() => watching.stdout(), { timeout: 30_000 }).toContain(stage.runId);
  watching.signal("SIGINT");
  expect((await watching.ended).exitCode).toBe(130);
  await child.kill();
});
