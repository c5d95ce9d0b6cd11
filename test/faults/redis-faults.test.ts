import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, type TestContext, test } from "vitest";
import type { AgentGateway, GatewayCall } from "../helpers/agent-gateway.ts";
import type { CliProcess } from "../helpers/cli-process.ts";
import { loseSince, markAof } from "../helpers/lost-second.ts";
import { doneRows, type ProgressReading, type ProgressWatch } from "../helpers/progress-watch.ts";
import type { PrivateRedis } from "../helpers/redis-for-tests.ts";
import { isQueueScript, startRedisTap } from "../helpers/redis-tap.ts";
import { expectIdentity, expectSettledOnce, sendsByMessage } from "../helpers/settled-once.ts";
import { openStage, type Stage, type StageAgent } from "../helpers/stage.ts";

/** Enough for a machine that is busy with other things; a quiet one takes a fraction. */
const PATIENCE = { timeout: 180_000 };

const LOCK_MS = 10_000;
/** Least outcomes that Redis has to forget for the test to say anything. */
const FORGOTTEN_ROWS = 10;

interface Scene {
  readonly stage: Stage;
  readonly redis: PrivateRedis;
  /** Of the test's own. */
  readonly client: Redis;
  readonly agent: StageAgent;
  readonly gateway: AgentGateway;
  readonly watch: ProgressWatch;
}

describe.concurrent("a Redis that forgets", PATIENCE, () => {
  test("its last second while the run goes on gets it back from journal and input", async (context) => {
    const rows = 1_000;
    const { stage, redis, client, agent, gateway, watch } = await setUp(context);
    const words = ["run", await stage.partners(rows), "--rate", "80", "--poll-rate", "200"];
    const running = stage.start(...words);
    await watch.until((reading) => doneRows(reading) >= 100);
    const mark = await markAof(redis);
    await watch.until((reading) => doneRows(reading) >= 100 + 9 * FORGOTTEN_ROWS);
    // Stopped, so that nothing is put right before it has been seen.
    running.signal("SIGSTOP");
    const before = doneRows(await readProgress(client, stage));
    const journaled = await rowsInJournal(stage);
    await loseSince(redis, mark);
    const after = doneRows(await readProgress(client, stage));
    expect(before - after).toBeGreaterThanOrEqual(FORGOTTEN_ROWS);
    running.signal("SIGCONT");
    const end = await running.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows });
    expectIdentity(watch, rows);
    // What the journal had was paid for, and was known to be.
    const known = gateway.calls.filter((call) => journaled.has(rowOf(call)));
    expect(known).toHaveLength(journaled.size);
  });

  test("everything in mid-run ends the command with exit 5, and the same one goes on from the journal", async (context) => {
    const rows = 150;
    const { stage, client, agent, gateway, watch } = await setUp(context);
    const words = ["run", await stage.partners(rows), "--rate", "60", "--poll-rate", "200"];
    const first = stage.start(...words);
    await watch.until((reading) => doneRows(reading) >= 50);
    await client.flushall();
    const forgotten = await first.ended;
    expect(forgotten.exitCode, forgotten.stderr).toBe(5);
    expect(forgotten.stderr).toContain("run the same command again");
    const journaled = await rowsInJournal(stage);
    expect(journaled.size).toBeGreaterThanOrEqual(50);
    const end = await stage.run(...words);
    expect(end.exitCode, end.stderr).toBe(0);
    const { summary, results } = await expectSettledOnce({ stage, agent, rows });
    const known = gateway.calls.filter((call) => journaled.has(rowOf(call)));
    expect(known).toHaveLength(journaled.size);
    expect(Math.max(...sendsByMessage(gateway.calls).values())).toBeLessThanOrEqual(2);
    // Calls that only Redis had counted are counted from the journal.
    expect(summary.calls.sendMessage).toBe(rows + summary.calls.retries);
    const polls = results.rows.reduce((sum, row) => sum + Number(row["onboard_polls"]), 0);
    expect(summary.calls.getTask).toBeGreaterThanOrEqual(polls);
  });

  test("the jobs of rows that wait gets them back from whoever collects", async (context) => {
    const rows = 60;
    const { stage, client, agent } = await setUp(context);
    const file = await stage.partners(rows);
    await stage.run("ingest", file, "--rate", "100", "--poll-rate", "200");
    const jobs = await client.keys(`onboard-batch:{${stage.runId}}:submit:*`);
    expect(jobs.length).toBeGreaterThanOrEqual(rows);
    await client.del(...jobs);
    const worker = stage.start("worker");
    const collected = await stage.run("collect", stage.runId);
    expect(collected.exitCode, collected.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows });
    await worker.kill();
  });
});

describe.concurrent("a Redis in trouble", PATIENCE, () => {
  test("that is full is asked now and then, and the run goes on when there is room", async (context) => {
    const rows = 300;
    const { stage, client, agent, watch } = await setUp(context);
    const file = await stage.partners(rows);
    const running = stage.start("run", file, "--rate", "100", "--poll-rate", "400", "--verbose");
    await watch.until((reading) => doneRows(reading) >= 40);
    await client.config("SET", "maxmemory", "1mb");
    // What was in hand when it became full.
    await delay(2_000);
    const [linesBefore, commandsBefore] = [lineCount(running), await commandsOf(client)];
    await delay(4_000);
    expect(lineCount(running) - linesBefore).toBeLessThan(40);
    // Looks of the monitor, the collector and the test's own watch, answers in hand that are tried
    // each 500 ms. Workers that do not rest alone make 60,000 of it.
    expect((await commandsOf(client)) - commandsBefore).toBeLessThan(2_400);
    const doneBefore = doneRows(await readProgress(client, stage));
    expect(doneBefore).toBeLessThan(rows);
    await client.config("SET", "maxmemory", "0");
    const roomAtMs = performance.now();
    await watch.until((reading) => doneRows(reading) > doneBefore);
    expect(performance.now() - roomAtMs).toBeLessThan(5_000);
    const end = await running.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows });
  });

  test("that is killed under three workers and a collector costs no row anything", async (context) => {
    const rows = 200;
    const { stage, redis, agent, watch } = await setUp(context);
    const file = await stage.partners(rows);
    const workers = [1, 2, 3].map(() => stage.start("worker"));
    await stage.run("ingest", file, "--rate", "50", "--poll-rate", "200");
    const collecting = stage.start("collect", stage.runId);
    await watch.until((reading) => doneRows(reading) >= 40);
    await redis.kill();
    await delay(5_000);
    await redis.restart();
    const end = await collecting.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows });
    expectIdentity(watch, rows);
    for (const worker of workers) await worker.kill();
  });
});

describe.concurrent("a process", PATIENCE, () => {
  test("that was stopped for longer than its locks, and goes on then, changes nothing of what others did", async (context) => {
    const rows = 40;
    const { stage, agent, gateway, watch } = await setUp(context);
    const file = await stage.partners(rows);
    const stopped = stage.start("worker", "--concurrency", "4");
    await stage.run("ingest", file, "--rate", "20", "--poll-rate", "100");
    await watch.until((reading) => doneRows(reading) >= 5);
    stopped.signal("SIGSTOP");
    const other = stage.start("worker");
    const collecting = stage.start("collect", stage.runId);
    await delay(LOCK_MS + 4_000);
    stopped.signal("SIGCONT");
    const end = await collecting.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows });
    expectIdentity(watch, rows);
    expect(Math.max(...sendsByMessage(gateway.calls).values())).toBeLessThanOrEqual(2);
    for (const worker of [stopped, other]) {
      worker.signal("SIGTERM");
      expect((await worker.ended).exitCode).toBe(0);
    }
  });

  test("that is killed in the middle of ingest is followed by one that adds what is missing", async (context) => {
    const rows = 1_200;
    const killedAtRow = 700;
    const { stage, redis, client, agent, gateway } = await setUp(context);
    const file = await stage.partners(rows);
    const words = ["ingest", file, "--rate", "400", "--poll-rate", "800"];
    const tap = await startRedisTap(redis.url);
    context.onTestFinished(() => tap.stop());
    stage.setEnv({ ONBOARD_BATCH_REDIS: tap.url });
    const first = stage.start(...words);
    const cut = tap.cutAt({
      matches: isQueueScript(":submit:id"),
      when: "call",
      nth: killedAtRow,
      kill: () => first.signal("SIGKILL"),
    });
    expect((await first.ended).exitCode).toBeNull();
    await cut;
    stage.setEnv({ ONBOARD_BATCH_REDIS: redis.url });
    const waiting = await client.llen(`onboard-batch:{${stage.runId}}:submit:wait`);
    // What was on its way to Redis when the process died may have got there or not.
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThan(killedAtRow);
    const second = await stage.run(...words);
    expect(second.exitCode, second.stderr).toBe(0);
    expect(await client.llen(`onboard-batch:{${stage.runId}}:submit:wait`)).toBe(rows);
    const worker = stage.start("worker");
    const collected = await stage.run("collect", stage.runId);
    expect(collected.exitCode, collected.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows });
    expect(Math.max(...sendsByMessage(gateway.calls).values())).toBe(1);
    await worker.kill();
  });
});

async function setUp(context: TestContext): Promise<Scene> {
  const stage = await openStage(context);
  const redis = await stage.privateRedis({ durable: true, config: ["appendfsync everysec"] });
  const client = new Redis(redis.url, { maxRetriesPerRequest: null, retryStrategy: () => 20 });
  client.on("error", () => undefined);
  context.onTestFinished(() => client.disconnect());
  const agent = await stage.agent({
    duration: { kind: "uniform", minMs: 50, maxMs: 300 },
    faults: [{ effect: { kind: "slow", ms: 50 } }],
  });
  const gateway = await stage.gateway(agent);
  return { stage, redis, client, agent, gateway, watch: stage.watch() };
}

function readProgress(client: Redis, { runId }: Stage): Promise<ProgressReading> {
  return client.hgetall(`onboard-batch:{${runId}}:progress`);
}

/** Rows whose outcome the journal has, as the messages name them. */
async function rowsInJournal({ outDir, runId }: Stage): Promise<ReadonlySet<string>> {
  const text = await readFile(path.join(outDir, runId, "journal.ndjson"), "utf8");
  const lines = text.slice(0, text.lastIndexOf("\n")).split("\n").slice(1);
  const rows = lines.map((line) => (JSON.parse(line) as { outcome: { row: number } }).outcome.row);
  return new Set(rows.map(String));
}

/** The row of a SendMessage; empty for other calls. */
function rowOf({ text }: GatewayCall): string {
  return /Partner (\d+) GmbH/.exec(text)?.[1] ?? "";
}

async function commandsOf(client: Redis): Promise<number> {
  const stats = await client.info("stats");
  return Number(/total_commands_processed:(\d+)/.exec(stats)?.[1]);
}

function lineCount(process: CliProcess): number {
  return process.stderr().split("\n").length;
}
