import { afterEach, expect, test } from "vitest";
import { connectRedis } from "../../../src/redis/connect.ts";
import { doneRows, watchProgress } from "../../helpers/progress-watch.ts";
import { ACCOUNT_PASSWORD, makeAccount, readRefusals } from "../../helpers/redis-account.ts";
import { startSentinels, type TestSentinels } from "../../helpers/redis-topologies.ts";
import { SILENT } from "../../helpers/run-for-tests.ts";
import { openTopologyStage } from "../../helpers/topology-stage.ts";

const ROWS = 60;

const started: TestSentinels[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
});

async function start(count: number): Promise<TestSentinels> {
  const sentinels = await startSentinels(count);
  started.push(sentinels);
  return sentinels;
}

test("a run goes on with the replica when its master is killed, and settles every row once", async (context) => {
  const redis = await start(3);
  const { addresses, name, master, replica } = redis;
  const sentinelPorts = addresses.map((address) => Number(address.split(":")[1]));
  for (const port of sentinelPorts) await makeAccount(port, "onboard-batch-sentinel");
  for (const { port } of [master, replica]) await makeAccount(port, "onboard-batch");
  const login = "user: onboard-batch-sentinel";
  const stage = await openTopologyStage(context, [
    `sentinels: {hosts: [${addresses.join(", ")}], name: ${name}, ${login}}`,
    "user: onboard-batch",
  ]);
  stage.setEnv({
    ONBOARD_BATCH_REDIS_PASSWORD: ACCOUNT_PASSWORD,
    ONBOARD_BATCH_SENTINEL_PASSWORD: ACCOUNT_PASSWORD,
  });
  const watch = watchProgress(`redis://127.0.0.1:${master.port}`, stage.runId);
  context.onTestFinished(() => watch.stop());
  const process = stage.start(...(await stage.runWords(ROWS)));
  await watch.until((reading) => doneRows(reading) >= 15);
  await master.kill();
  const end = await process.ended;
  expect(end.exitCode, end.stderr).toBe(0);
  expect(await redis.masterPort()).toBe(replica.port);
  await stage.expectAllOnce(ROWS);
  for (const port of [...sentinelPorts, replica.port]) expect(await readRefusals(port)).toEqual([]);
});

test("a name that the Sentinels do not know is exit 5 and is told", async () => {
  const redis = await start(1);
  const sentinels = redis.addresses.map((address) => {
    const [host = "", port] = address.split(":");
    return { host, port: Number(port) };
  });
  const opening = connectRedis({
    topology: { kind: "sentinels", sentinels, name: "nobody" },
    waitMs: 1_000,
    force: false,
    log: SILENT,
  });
  await expect(opening).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringContaining("nobody"),
  });
});
