import { expect, onTestFinished, test } from "vitest";
import { RUNS_KEY } from "../../../src/redis/keys.ts";
import { listKnownRuns } from "../../../src/redis/run-list.ts";
import { startPrivateRedis } from "../../helpers/redis-for-tests.ts";
import { createTestRun, openTestRedis } from "../../helpers/run-for-tests.ts";

async function setup() {
  // The list is one for all runs: here it must be this test's own.
  const redis = await startPrivateRedis();
  onTestFinished(() => redis.stop());
  return (await openTestRedis(redis.url)).client;
}

test("an empty Redis knows no runs", async () => {
  expect(await listKnownRuns(await setup())).toEqual([]);
});

test("runs come by their start, oldest first, with settings and progress", async () => {
  const client = await setup();
  const late = await createTestRun(client, { total: 3, settings: { startedAtMs: 2_000 } });
  const early = await createTestRun(client, { settings: { startedAtMs: 1_000 } });
  const listed = await listKnownRuns(client);
  expect(listed.map(({ runId }) => runId)).toEqual([early.settings.runId, late.settings.runId]);
  expect(listed.map(({ settings }) => settings)).toEqual([early.settings, late.settings]);
  expect(listed.map(({ progress }) => progress?.status)).toEqual(["ingesting", "running"]);
});

test("a run of which one half is left is shown with that half", async () => {
  const client = await setup();
  const run = await createTestRun(client, { total: 1 });
  await client.del(run.keys.settings);
  expect(await listKnownRuns(client)).toMatchObject([
    { runId: run.settings.runId, settings: undefined, progress: { status: "running" } },
  ]);
});

test("a run whose keys have expired leaves the list", async () => {
  const client = await setup();
  const gone = await createTestRun(client);
  const kept = await createTestRun(client);
  await client.del(gone.keys.settings, gone.keys.progress);
  expect(await listKnownRuns(client)).toHaveLength(1);
  expect(await client.zrange(RUNS_KEY, "0", "-1")).toEqual([kept.settings.runId]);
});
