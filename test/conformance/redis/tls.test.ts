import { afterEach, expect, test } from "vitest";
import { startTlsRedis, type TestTlsRedis } from "../../helpers/redis-topologies.ts";
import { openTopologyStage, type TopologyStage } from "../../helpers/topology-stage.ts";

const ROWS = 60;

const started: TestTlsRedis[] = [];
afterEach(async () => {
  for (const one of started.splice(0)) await one.stop();
});

async function start(clients?: "with-certificate"): Promise<TestTlsRedis> {
  const redis = await startTlsRedis(clients);
  started.push(redis);
  return redis;
}

async function setUp(
  context: Parameters<typeof openTopologyStage>[0],
  lines: readonly string[],
): Promise<TopologyStage> {
  return openTopologyStage(context, lines);
}

test("a run over TLS with a private authority settles every row once", async (context) => {
  const { url, caFile } = await start();
  const stage = await setUp(context, [`url: ${url}`, `tls: {caFile: ${caFile}}`]);
  const end = await stage.run(...(await stage.runWords(ROWS)));
  expect(end.exitCode, end.stderr).toBe(0);
  await stage.expectAllOnce(ROWS);
});

test("another authority is exit 2 at once, and so is none", async (context) => {
  const { url, otherCaFile } = await start();
  for (const tls of [`tls: {caFile: ${otherCaFile}}`, "tls:"]) {
    const stage = await setUp(context, [`url: ${url}`, tls]);
    const end = await stage.run(...(await stage.runWords(1)));
    expect(end.exitCode, end.stderr).toBe(2);
    expect(end.stderr).toContain("no trusted TLS connection");
    expect(end.stderr).toContain("redis.tls.caFile");
    expect(end.tookMs).toBeLessThan(8_000);
    expect(stage.quickAgent.stats().tasks).toBe(0);
  }
});

test("a certificate of our own is shown to a server that wants one", async (context) => {
  const redis = await start("with-certificate");
  const { url, caFile, clientCertFile, clientKeyFile } = redis;
  const files = `caFile: ${caFile}, certFile: ${clientCertFile}, keyFile: ${clientKeyFile}`;
  const stage = await setUp(context, [`url: ${url}`, `tls: {${files}}`]);
  const end = await stage.run(...(await stage.runWords(5)));
  expect(end.exitCode, end.stderr).toBe(0);
  await stage.expectAllOnce(5);
});

test("a certificate that is wanted and not shown is exit 2", async (context) => {
  const { url, caFile } = await start("with-certificate");
  const stage = await setUp(context, [`url: ${url}`, `tls: {caFile: ${caFile}}`]);
  const end = await stage.run(...(await stage.runWords(1)));
  expect(end.exitCode, end.stderr).toBe(2);
  expect(end.stderr).toContain("redis.tls");
});

test("a file that is no certificate is exit 2 and named", async (context) => {
  const stage = await setUp(context, ["url: rediss://127.0.0.1:1", "tls: {caFile: ca.pem}"]);
  const words = await stage.runWords(1);
  const missing = await stage.run(...words);
  expect(missing.exitCode, missing.stderr).toBe(2);
  expect(missing.stderr).toMatch(/redis\.tls\.caFile cannot be read/);
  await stage.write("ca.pem", "no certificate");
  const wrong = await stage.run(...words);
  expect(wrong.exitCode, wrong.stderr).toBe(2);
  expect(wrong.stderr).toMatch(/redis\.tls\.caFile .*cannot be used/);
});
