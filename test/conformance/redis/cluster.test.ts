import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { errorText } from "../../../src/core/errors.ts";
import { connectRedis, type RedisHandle } from "../../../src/redis/connect.ts";
import { doneRows, watchProgress } from "../../helpers/progress-watch.ts";
import {
  ACCOUNT_PASSWORD,
  documentedForCluster,
  makeAccount,
  readRefusals,
} from "../../helpers/redis-account.ts";
import { ask, until } from "../../helpers/redis-processes.ts";
import { startCluster, type TestCluster } from "../../helpers/redis-topologies.ts";
import { SILENT } from "../../helpers/run-for-tests.ts";
import { openTopologyStage, type TopologyStage } from "../../helpers/topology-stage.ts";

const ROWS = 60;

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startCluster(3);
});
// The test before may have restarted a node.
beforeEach(() => cluster.untilUp());
afterAll(() => cluster.stop());

function setUp(context: Parameters<typeof openTopologyStage>[0]): Promise<TopologyStage> {
  return openTopologyStage(context, clusterLines());
}

function clusterLines(): readonly string[] {
  return [`cluster: [${cluster.addresses.join(", ")}]`];
}

const progressKey = (runId: string): string => `onboard-batch:{${runId}}:progress`;

test("a run over a Cluster settles every row once, as the documented account", async (context) => {
  const more = await documentedForCluster();
  for (const { port } of cluster.nodes) await makeAccount(port, "onboard-batch", more);
  const stage = await openTopologyStage(context, [...clusterLines(), "user: onboard-batch"]);
  stage.setEnv({ ONBOARD_BATCH_REDIS_PASSWORD: ACCOUNT_PASSWORD });
  const end = await stage.run(...(await stage.runWords(ROWS)));
  expect(end.exitCode, end.stderr).toBe(0);
  await stage.expectAllOnce(ROWS);
  expect(stage.quickAgent.stats().repeatedMessageIds).toBe(0);
  for (const { port } of cluster.nodes) expect(await readRefusals(port)).toEqual([]);
});

test("a Cluster carries a run from host to host", async (context) => {
  const stage = await setUp(context);
  const [, file = ""] = await stage.runWords(ROWS);
  const ingested = await stage.run("ingest", file, "--rate", "30");
  expect(ingested.exitCode, ingested.stderr).toBe(0);
  const worker = stage.start("worker");
  const collected = await stage.run("collect", stage.runId);
  expect(collected.exitCode, collected.stderr).toBe(0);
  await stage.expectAllOnce(ROWS);
  const status = await stage.run("status", stage.runId, "--json");
  expect(JSON.parse(status.stdout)).toMatchObject({ status: "completed" });
  worker.signal("SIGTERM");
  expect((await worker.ended).exitCode).toBe(0);
});

test("a run waits for the node of its keys, which is killed and comes back", async (context) => {
  const stage = await setUp(context);
  const owner = await cluster.ownerOf(progressKey(stage.runId));
  const watch = watchProgress(`redis://127.0.0.1:${owner.port}`, stage.runId);
  context.onTestFinished(() => watch.stop());
  const process = stage.start(...(await stage.runWords(ROWS)));
  await watch.until((reading) => doneRows(reading) >= 10);
  await owner.kill();
  await owner.restart();
  const end = await process.ended;
  expect(end.exitCode, end.stderr).toBe(0);
  await stage.expectAllOnce(ROWS);
}, 60_000);

test("a run over a Cluster whose node is gone ends soon after a signal", async (context) => {
  const stage = await setUp(context);
  const owner = await cluster.ownerOf(progressKey(stage.runId));
  const watch = watchProgress(`redis://127.0.0.1:${owner.port}`, stage.runId);
  context.onTestFinished(() => watch.stop());
  const process = stage.start(...(await stage.runWords(ROWS)));
  await watch.until((reading) => doneRows(reading) >= 10);
  await owner.kill();
  const stoppedAtMs = performance.now();
  process.signal("SIGTERM");
  const end = await process.ended;
  expect(performance.now() - stoppedAtMs).toBeLessThan(12_000);
  expect(end.exitCode, end.stderr).toBe(143);
  expect(end.stderr).toContain("Redis does not answer");
  await owner.restart();
}, 60_000);

test("a URL that leads to one node of a Cluster is exit 2 with the setting to use", async (context) => {
  const stage = await setUp(context);
  const url = `redis://${cluster.addresses[0]}`;
  const end = await stage.run(...(await stage.runWords(1)), "--redis", url);
  expect(end.exitCode, end.stderr).toBe(2);
  expect(end.stderr).toContain("is a node of a Cluster");
  expect(end.stderr).toContain("redis.cluster");
});

test("a server that is no Cluster is exit 2", async (context) => {
  const stage = await setUp(context);
  const { host } = new URL(stage.redisUrl);
  await stage.write("onboard-batch.yaml", `redis: {cluster: ["${host}"]}\n`);
  const end = await stage.run(...(await stage.runWords(1)));
  expect(end.exitCode, end.stderr).toBe(2);
  expect(end.stderr).toContain("is no Cluster");
});

test("a Cluster of which nobody answers is exit 5 with the reason", async () => {
  // A port that nobody can listen on.
  const nodes = [{ host: "127.0.0.1", port: 1 }];
  const opening = connectRedis({
    topology: { kind: "cluster", nodes },
    waitMs: 500,
    force: false,
    log: SILENT,
  });
  await expect(opening).rejects.toMatchObject({
    exitCode: 5,
    message:
      "the Redis at 127.0.0.1:1 (Cluster) did not answer within 0.5 s (connect ECONNREFUSED 127.0.0.1:1)",
  });
});

async function open(): Promise<RedisHandle> {
  const [address = ""] = cluster.addresses;
  const [host = "", port] = address.split(":");
  const nodes = [{ host, port: Number(port) }];
  return connectRedis({ topology: { kind: "cluster", nodes }, force: false, log: SILENT });
}

test("connecting anew to a Cluster that is down ends when it is up again", async (context) => {
  const handle = await open();
  context.onTestFinished(() => handle.close());
  const client = handle.duplicateForBlocking();
  await once(client, "ready");
  const owner = await cluster.ownerOf(progressKey("connecting"));
  await owner.kill();
  const other = cluster.nodes.find((node) => node !== owner);
  await until("the others miss the node", () =>
    ask(other?.port ?? 0, async (node) => (await node.cluster("INFO")).includes("state:fail")),
  );
  const ended = once(client, "end");
  client.disconnect();
  await ended;
  const connecting = client.connect();
  await owner.restart();
  await connecting;
  expect(client.status).toBe("ready");
}, 30_000);

test("one node that is gone is a Redis that does not answer, and closing does not wait for it", async () => {
  const handle = await open();
  const key = progressKey("closing");
  const owner = await cluster.ownerOf(key);
  expect(await handle.answers(1_000)).toBe(true);
  await owner.kill();
  expect(await handle.answers(1_000)).toBe(false);
  const asked = handle.client.hgetall(key).then(() => "answered", errorText);
  const startedAtMs = performance.now();
  await handle.close();
  expect(performance.now() - startedAtMs).toBeLessThan(3_000);
  expect(await asked).toMatch(/closed|ended/);
  await owner.restart();
});
