import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { Redis } from "ioredis";
import { expect, test } from "vitest";
import { doneRows } from "../helpers/progress-watch.ts";
import { openStage } from "../helpers/stage.ts";

const KEY = "k3y-that-nobody-may-see";
const PARTNER = "Partner 7 GmbH";

/** Everything that a Redis holds, as one text. */
async function dumpRedis(redis: Redis): Promise<string> {
  const readers: Readonly<Record<string, (key: string) => Promise<unknown>>> = {
    string: (key) => redis.get(key),
    hash: (key) => redis.hgetall(key),
    list: (key) => redis.lrange(key, 0, -1),
    set: (key) => redis.smembers(key),
    zset: (key) => redis.zrange(key, "0", "-1"),
    stream: (key) => redis.xrange(key, "-", "+"),
  };
  const entries = await Promise.all(
    (await redis.keys("*")).map(async (key) => [key, await readers[await redis.type(key)]?.(key)]),
  );
  return JSON.stringify(entries);
}

/** Every file below a folder, as one text. */
async function dumpFolder(dir: string): Promise<string> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const texts = entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFile(path.join(entry.parentPath, entry.name), "latin1"));
  return (await Promise.all(texts)).join("\n");
}

/** Command lines of all processes of this machine, and the environments of those a process has started. */
async function dumpProcesses(parentPid: number): Promise<string> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const texts = await Promise.all(
    pids.map(async (pid) => {
      const read = (name: string): Promise<string> =>
        readFile(`/proc/${pid}/${name}`, "latin1").catch(() => "");
      const isChild = (await read("status")).includes(`\nPPid:\t${parentPid}\n`);
      return `${await read("cmdline")}${isChild ? await read("environ") : ""}`;
    }),
  );
  return texts.join("\n");
}

test("the key is nowhere but in calls to the agent; partner data is in no log", async (context) => {
  const stage = await openStage(context);
  const agent = await stage.agent({
    apiKey: KEY,
    duration: { kind: "fixed", ms: 100 },
    faults: [
      { match: { share: 0.2 }, effect: { kind: "end", state: "FAILED", text: `not ${PARTNER}` } },
      { match: { share: 0.2, nth: 1 }, effect: { kind: "reset" } },
      { match: { share: 0.1, nth: 1 }, effect: { kind: "malformed", body: PARTNER } },
    ],
  });
  const { url } = await stage.privateRedis();
  stage.setEnv({ ONBOARD_BATCH_API_KEY: KEY });
  const watch = stage.watch();
  const file = await stage.partners(60);
  const run = stage.start("run", file, "--rate", "40", "--poll-rate", "200", "--verbose");
  await watch.until((reading) => doneRows(reading) >= 10);
  const { Redis: Client } = await import("ioredis");
  const redis = new Client(url);
  context.onTestFinished(() => redis.disconnect());
  const inRedis = await dumpRedis(redis);
  expect(inRedis).toContain("Partner ");
  expect(inRedis).not.toContain(KEY);
  expect(await dumpProcesses(run.pid)).not.toContain(KEY);
  const end = await run.ended;
  expect(end.exitCode, end.stderr).toBe(3);
  expect(agent.stats().unauthorized).toBe(0);
  expect(end.stdout + end.stderr).not.toContain(KEY);
  expect(end.stderr).toContain('"event":"row.ended"');
  expect(end.stderr).not.toContain("Partner");
  expect(await dumpFolder(stage.outDir)).not.toContain(KEY);
  expect(await dumpRedis(redis)).not.toContain(KEY);
});

test("the private Redis is started without the key, and its files hold none", async (context) => {
  const stage = await openStage(context);
  await stage.agent({ apiKey: KEY, duration: { kind: "fixed", ms: 600 } });
  stage.setEnv({ ONBOARD_BATCH_API_KEY: KEY, ONBOARD_BATCH_REDIS: undefined });
  const run = stage.start("run", await stage.partners(5), "--rate", "20", "--progress", "plain");
  await run.untilSaid("rows (");
  expect(await dumpProcesses(run.pid)).not.toContain(KEY);
  const end = await run.ended;
  expect(end.exitCode, end.stderr).toBe(0);
  expect(await dumpFolder(stage.dir)).not.toContain(KEY);
});

test("the agent's words are in the log when that is asked for, harmless for a terminal", async (context) => {
  const stage = await openStage(context);
  await stage.agent({
    duration: { kind: "fixed", ms: 10 },
    faults: [{ effect: { kind: "end", state: "FAILED", text: `no \u001b[31m${PARTNER}\u0007` } }],
  });
  const file = await stage.partners(1);
  const end = await stage.run("run", file, "--verbose", "--log-data");
  expect(end.exitCode, end.stderr).toBe(3);
  expect(end.stderr).toContain(PARTNER);
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  expect(end.stderr).not.toMatch(/[\u001b\u0007]/);
});
