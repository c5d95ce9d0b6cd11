import { Redis } from "ioredis";
import { describe, expect, test, vi } from "vitest";
import { doneRows } from "../helpers/progress-watch.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage } from "../helpers/stage.ts";
import { FAST_RATES, stubFor } from "../helpers/stub-run.ts";

// Several runs at once share a small machine.
vi.setConfig({ testTimeout: 150_000 });

describe.concurrent("a file that is read twice", () => {
  test("while it is worked on and after its end gives no row twice (16: bullmq#458, bullmq#3765, bullmq#3475)", async (context) => {
    const rows = 60;
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 300 } });
    const file = await stage.partners(rows);
    const watch = stage.watch();
    const first = await stage.run("ingest", file, "--rate", "20");
    const second = await stage.run("ingest", file, "--rate", "20");
    expect([first.exitCode, second.exitCode], second.stderr).toEqual([0, 0]);
    expect(second.stdout).toBe(first.stdout);
    const worker = stage.start("worker");
    const collecting = stage.run("collect", stage.runId);
    await watch.until((reading) => doneRows(reading) >= 10);
    const third = await stage.run("ingest", file, "--rate", "20");
    expect(third.exitCode, third.stderr).toBe(0);
    const end = await collecting;
    expect(end.exitCode, end.stderr).toBe(0);
    const fourth = await stage.run("ingest", file, "--rate", "20");
    expect(fourth.exitCode, fourth.stderr).toBe(0);
    worker.signal("SIGTERM");
    await worker.ended;
    expect(agent.stats().calls.SendMessage).toBe(rows);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(rows));
  });

  test("since reader and Redis were killed in the middle has every row once (17: bullmq#3451, bullmq#3851)", async (context) => {
    const rows = 2_000;
    const words = ["--rate", "2000", "--poll-rate", "2000"];
    const stage = await openStage(context);
    const redis = await stage.privateRedis({ durable: true });
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 0 } });
    const client = new Redis(redis.url, { maxRetriesPerRequest: null });
    client.on("error", () => undefined);
    context.onTestFinished(() => client.disconnect());
    const file = await stage.partners(rows);
    const waiting = `onboard-batch:{${stage.runId}}:submit:wait`;
    const first = stage.start("ingest", file, ...words);
    while ((await client.llen(waiting)) === 0);
    await Promise.all([redis.kill(), first.kill()]);
    await redis.restart();
    expect(await client.llen(waiting)).toBeLessThan(rows);
    const end = await stage.run("run", file, ...words);
    expect(end.exitCode, end.stderr).toBe(0);
    const outputs = await readOutputs(stage.outDir);
    expect(allRows(outputs)).toEqual(rowsUpTo(rows));
    expect(outputs.results.rows).toHaveLength(rows);
    expect(agent.stats()).toMatchObject({ tasks: rows, repeatedMessageIds: 0 });
  });
});

describe.concurrent("a cell of the file", () => {
  test("never becomes a job's name, whatever it is (26: reserved names of job ids)", async (context) => {
    const cells = ["meta", "active", "delayed", "completed", "id", "12", "a:b", "", "meta", "0"];
    const words = [...cells, "wait", "events", "__proto__", "x".repeat(10_240)];
    const stage = await openStage(context);
    const stub = await stubFor(context, stage, {});
    const lines = words.map(
      (word, index) => `${word},${word === "" ? "Nameless id" : word} ${index}`,
    );
    const file = await stage.write("partners.csv", `id,name\n${lines.join("\n")}\n`);
    const end = await stage.run("run", file, ...FAST_RATES);
    expect(end.exitCode, end.stderr).toBe(0);
    const { results } = await readOutputs(stage.outDir);
    expect(results.rows.map(({ id }) => id)).toEqual(words);
    expect(stub.calls(undefined, "SendMessage")).toHaveLength(words.length);
  });
});
