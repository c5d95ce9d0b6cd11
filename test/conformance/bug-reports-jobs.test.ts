import { readFile } from "node:fs/promises";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, test, vi } from "vitest";
import { createLatch } from "../helpers/latch.ts";
import { doneRows, identityOf } from "../helpers/progress-watch.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage, type Stage } from "../helpers/stage.ts";
import { completed, later, type StubAnswer, taskAnswer } from "../helpers/stub-agent.ts";
import { FAST_RATES, namesCsv, runOnStub, stubFor } from "../helpers/stub-run.ts";

/** BullMQ's lock on a job; a process that stands still for twice as long has lost it. */
const LOCK_MS = 10_000;

// Locks take their time, and several runs at once share a small machine.
vi.setConfig({ testTimeout: 150_000 });

describe.concurrent("a call that lasts longer than the lock on its job", () => {
  test("has the time that was given: an answer after 65 s is taken (22: beeai-framework#1183, litellm#25514, agent-framework#2407)", async ({
    onTestFinished,
  }) => {
    const run = await runOnStub({
      scripts: { Slow: { SendMessage: (call) => later(call, 65_000, completed(call)) } },
      words: ["--request-timeout", "120s"],
    });
    onTestFinished(() => run.close());
    expect(run.end.exitCode, run.end.stderr).toBe(0);
    expect(run.row("Slow")).toMatchObject({ file: "results", onboard_attempts: "1" });
    expect(run.stub.calls("Slow")).toHaveLength(1);
  });

  test("may be given more than 300 s (23: openai-node#2153, node-exist#401)", async ({
    onTestFinished,
  }) => {
    const run = await runOnStub({
      scripts: { Ordinary: {} },
      words: ["--request-timeout", "400s"],
    });
    onTestFinished(() => run.close());
    expect(run.end.exitCode, run.end.stderr).toBe(0);
  });
});

describe.concurrent("a job that polls", () => {
  test("keeps no process from ending: 500 of them, and no call after SIGTERM (7: bullmq#4163)", async (context) => {
    const rows = 500;
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 3_600_000 } });
    const watch = stage.watch();
    const running = stage.start("run", await stage.partners(rows), ...FAST_RATES);
    await watch.until(({ open }) => Number(open) === rows);
    running.signal("SIGTERM");
    const signaledAtMs = performance.now();
    await running.untilSaid("Stopping");
    const atSignal = agent.stats().calls.GetTask;
    const end = await running.ended;
    expect(end.exitCode, end.stderr).toBe(143);
    expect(performance.now() - signaledAtMs).toBeLessThan(10_000);
    // Those that were on the wire.
    expect(agent.stats().calls.GetTask - atSignal).toBeLessThanOrEqual(32);
    expect(await progressOf(stage)).toMatchObject({ open: String(rows), failed: "0" });
  });
});

describe.concurrent("an agent that never answers", () => {
  test("for 1 row in 20 holds up none of the others (8: bullmq#3289, bullmq#3297, bullmq#3322)", async ({
    onTestFinished,
  }) => {
    const names = numbered(100);
    const hanging = names.filter((_, index) => index % 20 === 10);
    const silence = { SendMessage: (): StubAnswer => ({ kind: "silence" }) };
    const run = await runOnStub({
      names,
      scripts: Object.fromEntries(hanging.map((name) => [name, silence])),
      words: ["--rate", "40", "--concurrency", "8", "--request-timeout", "3s"],
    });
    onTestFinished(() => run.close());
    expect(run.end.exitCode, run.end.stderr).toBe(3);
    expect(run.outputs.results.rows).toHaveLength(names.length - hanging.length);
    for (const name of hanging) {
      expect(run.row(name)).toMatchObject({ file: "failures", onboard_attempts: "2" });
      expect(run.stub.calls(name, "SendMessage")).toHaveLength(2);
    }
  });
});

describe.concurrent("a storm of 429", () => {
  test("leaves no job behind, and costs no row (11: bullmq#2193, bullmq#2403, bullmq#2975, 10: bullmq#2697, bullmq#3561)", async (context) => {
    const rows = 60;
    const stage = await openStage(context);
    const redis = await stage.privateRedis();
    const agent = await stage.agent({
      duration: { kind: "fixed", ms: 100 },
      faults: [
        {
          match: { method: "SendMessage", from: 10, to: 40 },
          effect: { kind: "throttle", retryAfter: "0" },
        },
        {
          match: { method: "GetTask", from: 20, to: 40 },
          effect: { kind: "throttle" },
        },
      ],
    });
    const end = await stage.run(
      "run",
      await stage.partners(rows),
      ...FAST_RATES,
      "--attempts",
      "1",
    );
    expect(end.exitCode, end.stderr).toBe(0);
    const outputs = await readOutputs(stage.outDir);
    expect(outputs.results.rows).toHaveLength(rows);
    expect(outputs.summary.calls.rateLimited).toBe(31 + 21);
    expect(agent.stats().tasks).toBe(rows);
    const keys = await keysOf(redis.url);
    expect(keys.filter((key) => key.includes(":submit:") || key.includes(":track:"))).toEqual([]);
  });
});

describe.concurrent("a run without any fault", () => {
  test("misses no lock, keeps its events short, and leaves only what is documented (12: bullmq#1602, bullmq#2094, bullmq#3295, 18: bullmq#3672, 19: bullmq#3694, 20: bullmq#366)", async (context) => {
    const rows = 400;
    const stage = await openStage(context);
    const redis = await stage.privateRedis({ config: ["slowlog-log-slower-than 200000"] });
    await stage.agent({ duration: { kind: "fixed", ms: 100 } });
    const watch = stage.watch();
    const client = new Redis(redis.url);
    context.onTestFinished(() => client.disconnect());
    const file = await stage.partners(rows);
    const running = stage.run("run", file, ...FAST_RATES, "--verbose");
    await watch.until((reading) => doneRows(reading) > rows / 4);
    const prefix = `onboard-batch:{${stage.runId}}`;
    for (const queue of ["submit", "track"]) {
      expect(await client.xlen(`${prefix}:${queue}:events`)).toBeLessThan(250);
    }
    const end = await running;
    expect(end.exitCode, end.stderr).toBe(0);
    expect(end.stderr).not.toMatch(/missing lock|stalled|"level":"error"/i);
    const keys = await keysOf(redis.url);
    const own = keys.filter((key) => key.startsWith(`${prefix}:`)).toSorted();
    expect(own).toEqual(["private", "progress", "settings"].map((name) => `${prefix}:${name}`));
    for (const key of own) expect(await client.pttl(key)).toBeGreaterThan(0);
    expect(keys.length).toBe(own.length + 2);
    expect(keys).toContain("onboard-batch:runs");
    expect(await client.slowlog("LEN")).toBe(0);
  });
});

describe.concurrent("a row whose process is killed each time", () => {
  test("is finished all the same, at the sixth (13: bullmq#651, bullmq#631, bullmq#3282, 14: bullmq#3266)", async (context) => {
    const kills = 5;
    const stage = await openStage(context);
    const latches = Array.from({ length: kills }, () => createLatch());
    const stub = await stubFor(context, stage, {
      otherwise: {
        SendMessage: (call): StubAnswer => {
          latches[call.nth - 1]?.open();
          return call.nth <= kills ? { kind: "silence" } : completed(call);
        },
      },
    });
    const file = await stage.write("partners.csv", namesCsv(["Unlucky"], stage.runId));
    for (const { opened } of latches) {
      const process = stage.start("run", file);
      await opened;
      await process.kill();
    }
    const end = await stage.run("run", file);
    expect(end.exitCode, end.stderr).toBe(0);
    const { results, summary } = await readOutputs(stage.outDir);
    expect(results.rows).toMatchObject([{ name: "Unlucky", onboard_source: "artifact" }]);
    const sends = stub.calls("Unlucky", "SendMessage");
    expect(sends).toHaveLength(kills + 1);
    expect(new Set(sends.map(({ messageId }) => messageId)).size).toBe(1);
    expect(summary.calls).toMatchObject({ sendMessage: kills + 1, retries: kills });
  });
});

describe.concurrent("a process that stands still for longer than its locks last", () => {
  test("overwrites nothing when it wakes: each row is recorded once (15: bullmq#3183, bullmq#3056, bullmq#3463)", async (context) => {
    const rows = 20;
    const held = 5;
    const stage = await openStage(context);
    const heldBack = createLatch();
    const lastMayEnd = createLatch();
    let sends = 0;
    const stub = await stubFor(context, stage, {
      scripts: {
        [`Partner ${rows}`]: {
          GetTask: async (call) =>
            (await Promise.race([lastMayEnd.opened.then(() => true), delay(50, false)]))
              ? completed(call)
              : taskAnswer(call, "TASK_STATE_WORKING"),
        },
      },
      otherwise: {
        SendMessage: (call): StubAnswer | Promise<StubAnswer> => {
          sends += 1;
          if (sends === held) heldBack.open();
          const answer = taskAnswer(call, "TASK_STATE_WORKING");
          return sends <= held ? later(call, 2_000, answer) : answer;
        },
      },
    });
    const file = await stage.write("partners.csv", namesCsv(numbered(rows), stage.runId));
    const watch = stage.watch();
    const sleeper = stage.start("worker");
    await stage.run("ingest", file, ...FAST_RATES);
    const collecting = stage.run("collect", stage.runId);
    await heldBack.opened;
    sleeper.signal("SIGSTOP");
    const other = stage.start("worker");
    await watch.until((reading) => doneRows(reading) === rows - 1);
    await delay(LOCK_MS);
    const before = watch.readings.at(-1);
    sleeper.signal("SIGCONT");
    sleeper.signal("SIGTERM");
    const slept = await sleeper.ended;
    expect(slept.exitCode, slept.stderr).toBe(0);
    expect(await progressOf(stage)).toMatchObject({
      succeeded: before?.["succeeded"],
      open: "1",
      failed: "0",
    });
    lastMayEnd.open();
    const end = await collecting;
    expect(end.exitCode, end.stderr).toBe(0);
    other.signal("SIGTERM");
    await other.ended;

    const outputs = await readOutputs(stage.outDir);
    expect(allRows(outputs)).toEqual(rowsUpTo(rows));
    expect(outputs.results.rows).toHaveLength(rows);
    const journal = await readFile(path.join(outputs.dir, "journal.ndjson"), "utf8");
    const journaled = [...journal.matchAll(/"row":(\d+)/g)].map(([, row]) => Number(row));
    expect(journaled.toSorted((a, b) => a - b)).toEqual(rowsUpTo(rows));
    for (const name of numbered(rows)) {
      const ids = stub.calls(name, "SendMessage").map(({ messageId }) => messageId);
      expect(ids.length, name).toBeLessThanOrEqual(2);
      expect(new Set(ids).size, name).toBe(1);
    }
    for (const reading of watch.readings.filter(({ total }) => total !== "0")) {
      expect(identityOf(reading)).toEqual({ total: rows, parts: rows });
    }
  });
});

function numbered(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `Partner ${index + 1}`);
}

function progressOf({ redis, runId }: Stage): Promise<Record<string, string>> {
  return redis.hgetall(`onboard-batch:{${runId}}:progress`);
}

async function keysOf(redisUrl: string): Promise<string[]> {
  const client = new Redis(redisUrl);
  const keys = await client.keys("*");
  client.disconnect();
  return keys;
}
