import { createHash } from "node:crypto";
import { existsSync, watch } from "node:fs";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { runCli } from "../../../src/cli/run-cli.ts";
import type { RunSettings } from "../../../src/core/run-settings.ts";
import type { RunSummaryFile } from "../../../src/core/summary.ts";
import type { RedisClient } from "../../../src/redis/connect.ts";
import { gateKey } from "../../../src/redis/keys.ts";
import { openJournal } from "../../../src/runs/journal-file.ts";
import { type RunFolder, runFolder } from "../../../src/runs/run-folder.ts";
import { startPrivateRedis } from "../../helpers/redis-for-tests.ts";
import type { TestRun } from "../../helpers/run-for-tests.ts";
import { createTestRun, openTestRedis, testOutcome } from "../../helpers/run-for-tests.ts";
import { fakeIo } from "../../unit/cli/fake-io.ts";

interface Place {
  readonly client: RedisClient;
  readonly outDir: string;
  /** The command, in this process. */
  cli(...argv: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

/** A Redis of the test's own, an output folder and the command. */
async function setup(): Promise<Place> {
  const redis = await startPrivateRedis();
  onTestFinished(() => redis.stop());
  const { client } = await openTestRedis(redis.url);
  const cwd = await mkdtemp(path.join(tmpdir(), "onboard-batch-status-"));
  onTestFinished(() => rm(cwd, { recursive: true, force: true }));
  const env = { ONBOARD_BATCH_REDIS: redis.url, ONBOARD_BATCH_API_KEY: "secret-key" };
  return {
    client,
    outDir: path.join(cwd, "onboard-out"),
    async cli(...argv) {
      const fake = fakeIo({ cwd, env });
      const exitCode = await runCli(argv, fake.io);
      return { exitCode, stdout: fake.stdout(), stderr: fake.stderr() };
    },
  };
}

/** A run in Redis whose folder has its input and the outcome of its first row. */
async function beginRun(
  { client, outDir }: Place,
  rows: number,
  settings: Partial<RunSettings> = {},
): Promise<TestRun & { readonly folder: RunFolder }> {
  const run = await createTestRun(client, { total: rows, settings });
  const folder = runFolder(outDir, run.settings.runId);
  await mkdir(folder.dir, { recursive: true });
  const lines = Array.from({ length: rows }, (_, index) => `Partner ${index + 1}\n`);
  await writeFile(folder.input, `name\n${lines.join("")}`);
  const header = { type: "run", settings: run.settings, host: hostname() } as const;
  const journal = await openJournal(folder.journal, header);
  await journal.append([JSON.stringify(testOutcome(1))]);
  await journal.close();
  await run.record.claimOutput({ host: hostname(), dir: folder.dir });
  await client.hset(run.keys.progress, { pending: rows - 1, succeeded: 1 });
  return { ...run, folder };
}

function parse(stdout: string): RunSummaryFile {
  return JSON.parse(stdout) as RunSummaryFile;
}

describe("status", () => {
  test("shows runs of Redis and of the folder together, oldest first", async () => {
    const place = await setup();
    const first = await beginRun(place, 3, { runId: "a-run", startedAtMs: 1_000 });
    await beginRun(place, 3, { runId: "b-run", startedAtMs: 2_000 });
    await rm(first.folder.dir, { recursive: true });
    await place.client.del("onboard-batch:{b-run}:progress", "onboard-batch:{b-run}:settings");
    const { exitCode, stdout } = await place.cli("status");
    expect(exitCode).toBe(0);
    const [, a = "", b = "", ...rest] = stdout.trimEnd().split("\n");
    expect(a).toMatch(/^a-run +running +- +1\/3 +1 +0 +0 +1970-01-01 00:00:01Z +\d s ago$/);
    expect(b).toMatch(/^b-run +running +- +1\/3 +1 +0 +0 +1970-01-01 00:00:02Z +unknown$/);
    expect(rest).toEqual([]);
  });

  test("looks at a Redis that may evict keys, too", async () => {
    const place = await setup();
    await beginRun(place, 2, { runId: "a-run" });
    await place.client.config("SET", "maxmemory-policy", "allkeys-lru");
    const { exitCode, stdout } = await place.cli("status", "a", "--json");
    expect(exitCode).toBe(0);
    expect(parse(stdout).rows).toMatchObject({ total: 2, succeeded: 1, pending: 1 });
  });

  test("knows since when the agent is down, with the key that its callers have", async () => {
    const place = await setup();
    const { record, settings } = await beginRun(place, 2);
    await record.setReason("agent-down");
    const since = Date.UTC(2026, 10, 30, 22, 14, 3);
    const gate = gateKey(new URL(settings.agentUrl).origin, "secret-key");
    const before = await place.cli("status", "--last");
    expect(before.stdout).toContain(`${settings.agentUrl} is down\n`);
    await place.client.hset(gate, "openSince", since);
    const after = await place.cli("status", "--last");
    expect(after.stdout).toContain(`${settings.agentUrl} is down since 2026-11-30 22:14:03Z`);
  });

  test("shows a run that is still being read in", async () => {
    const place = await setup();
    const { settings } = await createTestRun(place.client);
    const { stdout } = await place.cli("status", settings.runId, "--json");
    expect(parse(stdout)).toMatchObject({
      status: "ingesting",
      input: { file: "partners.csv", rows: 0 },
      rows: { total: 0 },
      files: [],
    });
  });
});

describe("report", () => {
  test("takes the counts of Redis, which sum up to the total", async () => {
    const place = await setup();
    const { client, keys, folder } = await beginRun(place, 4, { runId: "a-run" });
    await client.hset(keys.progress, { pending: 1, open: 1, failed: 1, sendMessageCalls: 9 });
    await client.hset(keys.failures, "TASK_FAILED", 1);
    const { exitCode, stdout, stderr } = await place.cli("report", "a-run");
    expect(exitCode).toBe(0);
    expect(stdout.split("\n")).toContain(path.join(folder.dir, "unprocessed.csv"));
    expect(stderr).toContain("Run a-run is not finished");
    const summary = parse(await readFile(folder.summary, "utf8"));
    expect(summary).toMatchObject({
      status: "running",
      rows: { total: 4, pending: 1, open: 1, succeeded: 1, failed: 1 },
      failuresByReason: { TASK_FAILED: 1 },
      calls: { sendMessage: 9 },
    });
  });

  test("counts the rows itself while Redis has not counted them", async () => {
    const place = await setup();
    const { client, keys, folder } = await beginRun(place, 3, { runId: "a-run" });
    await client.hset(keys.progress, { status: "ingesting", total: 0, pending: 0, succeeded: 0 });
    await place.cli("report", "--last", "--quiet");
    expect(parse(await readFile(folder.summary, "utf8")).rows).toMatchObject({
      total: 3,
      pending: 2,
      succeeded: 1,
    });
  });

  test("is made once more when the run settles while it is made", async () => {
    const place = await setup();
    const rows = 12_000;
    const { client, keys, folder } = await beginRun(place, rows, { runId: "a-run" });
    const end = { pending: 0, succeeded: rows, status: "completed" };
    const settled = new Promise<unknown>((resolve) => {
      const watcher = watch(place.outDir, (_, name) => {
        if (name?.startsWith(".report-") !== true) return;
        watcher.close();
        const rest = Array.from({ length: rows - 1 }, (_row, index) => testOutcome(index + 2));
        const lines = rest.map((outcome) => JSON.stringify({ type: "outcome", outcome }));
        resolve(
          writeFile(folder.journal, `${lines.join("\n")}\n`, { flag: "a" }).then(() =>
            client.hset(keys.progress, end),
          ),
        );
      });
    });
    const [report] = await Promise.all([place.cli("report", "a-run", "--json"), settled]);
    expect(parse(report.stdout)).toMatchObject({
      status: "completed",
      rows: { total: rows, succeeded: rows, pending: 0 },
    });
    expect(await readFile(folder.results, "utf8")).toContain(`Partner ${rows},a-run,${rows},`);
    expect(parse(report.stdout).files).not.toContain("unprocessed.csv");
  });

  test("refuses a run whose outputs are elsewhere, or whose journal is gone from here", async () => {
    const place = await setup();
    const { record, client, keys, folder } = await beginRun(place, 3, { runId: "a-run" });
    await rm(folder.journal);
    const gone = await place.cli("report", "a-run");
    expect(gone.exitCode).toBe(2);
    expect(gone.stderr).toContain(`the journal of run a-run is gone from ${folder.dir}`);

    await client.del(keys.private);
    await record.claimOutput({ host: "host-2", dir: "/data/out/a-run" });
    const elsewhere = await place.cli("report", "a-run");
    expect(elsewhere.exitCode).toBe(2);
    expect(elsewhere.stderr).toContain("run a-run writes to /data/out/a-run on host-2");
    expect(elsewhere.stderr).toContain("run the command on host-2 with --out /data/out");
  });

  test("takes --input where the copy is gone, and only the file that it was", async () => {
    const place = await setup();
    const right = path.join(path.dirname(place.outDir), "right.csv");
    const wrong = path.join(path.dirname(place.outDir), "wrong.csv");
    await writeFile(right, "name\nPartner 1\nPartner 2\n");
    await writeFile(wrong, "name\nPartner 1\nPartner 3\n");
    const sha256 = createHash("sha256")
      .update(await readFile(right))
      .digest("hex");
    const { folder } = await beginRun(place, 2, { runId: "a-run", sha256 });
    await rm(folder.input);

    expect((await place.cli("report", "a-run")).exitCode).toBe(2);
    const refused = await place.cli("report", "a-run", "--input", wrong);
    expect(refused.exitCode).toBe(2);
    expect(refused.stderr).toContain(sha256);
    expect(existsSync(folder.input)).toBe(false);

    expect((await place.cli("report", "a-run", "--input", "right.csv")).exitCode).toBe(0);
    expect(await readFile(folder.input)).toEqual(await readFile(right));
    expect((await place.cli("report", "a-run")).exitCode).toBe(0);
  });

  test("wants one run to be named", async () => {
    const place = await setup();
    expect(await place.cli("report")).toMatchObject({ exitCode: 2, stdout: "" });
    const both = await place.cli("report", "a-run", "--last");
    expect(both.stderr).toContain("--last and a-run name two runs");
    expect(both.exitCode).toBe(2);
  });
});
