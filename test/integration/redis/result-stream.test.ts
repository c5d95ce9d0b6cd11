import { expect, test } from "vitest";
import { createResultStream } from "../../../src/redis/result-stream.ts";
import { createTestRun, openTestRedis, testOutcome } from "../../helpers/run-for-tests.ts";

async function setup() {
  const redis = await openTestRedis();
  const run = await createTestRun(redis.client, { total: 100 });
  const blocking = redis.duplicateForBlocking();
  const stream = createResultStream(redis.client, blocking, run.settings.runId);
  const record = (row: number, text = "") =>
    run.ledger.recordOutcome(testOutcome(row, "succeeded", text), 1, "");
  const backlogBytes = async () => Number(await run.client.hget(run.keys.private, "backlogBytes"));
  return { run, stream, record, backlogBytes };
}

test("outcomes are read oldest first and stay until they are taken away", async () => {
  const { stream, record } = await setup();
  for (const row of [1, 2, 3]) await record(row);
  const read = await stream.read(2, 1);
  expect(read.map(({ json }) => JSON.parse(json))).toEqual([testOutcome(1), testOutcome(2)]);
  expect(await stream.read(2, 1)).toEqual(read);
});

test("taking away removes what was read and nothing that came later", async () => {
  const { stream, record, backlogBytes } = await setup();
  for (const row of [1, 2]) await record(row, "Käse & Söhne");
  const read = await stream.read(10, 1);
  await record(3);
  await stream.trim(read);
  const left = await stream.read(10, 1);
  expect(left.map(({ json }) => JSON.parse(json))).toEqual([testOutcome(3)]);
  expect(await backlogBytes()).toBe(Buffer.byteLength(JSON.stringify(testOutcome(3))));
});

test("taking away the same twice, as after a lost reply, counts once", async () => {
  const { stream, record, backlogBytes } = await setup();
  await record(1);
  const read = await stream.read(10, 1);
  await stream.trim(read);
  await stream.trim(read);
  expect(await backlogBytes()).toBe(0);
});

test("taking away nothing does nothing", async () => {
  const { stream, record } = await setup();
  await record(1);
  await stream.trim([]);
  expect(await stream.read(10, 1)).toHaveLength(1);
});

test("an empty stream is waited for as long as was asked, then gives nothing", async () => {
  const { stream } = await setup();
  const startMs = performance.now();
  expect(await stream.read(10, 60)).toEqual([]);
  expect(performance.now() - startMs).toBeGreaterThan(50);
});

test("an outcome that comes while one waits is given at once", async () => {
  const { stream, record } = await setup();
  const reading = stream.read(10, 20_000);
  await record(1);
  expect(await reading).toHaveLength(1);
});
