import { describe, expect, test } from "vitest";
import type { SandboxStats } from "../../src/sandbox/stats.ts";
import type { CliProcess } from "../helpers/cli-process.ts";
import type { OutputCsv } from "../helpers/run-outputs.ts";
import { readOutputs } from "../helpers/run-outputs.ts";
import type { Stage } from "../helpers/stage.ts";
import { openStage } from "../helpers/stage.ts";

/** A busy machine holds calls up after they have left the gate, or their arrival at the agent. */
const TRIES = { retry: 2 };

describe("ingest, workers and collect", TRIES, () => {
  test("three workers give what run gives, and keep the rate together", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({
      duration: { kind: "fixed", ms: 200 },
      faults: [
        { match: { share: 0.1 }, effect: { kind: "end", state: "FAILED", text: "not found" } },
        {
          match: { share: 0.05 },
          effect: { kind: "end", state: "INPUT_REQUIRED", text: "which?" },
        },
      ],
    });
    const file = await stage.partners(200);
    const alone = await stage.run("run", file, "--rate", "500", "--poll-rate", "1000");
    expect(alone.exitCode, alone.stderr).toBe(3);
    const before = agent.stats();

    const workers = startWorkers(stage, 3);
    const runId = `${stage.runId}-many`;
    const ingested = await stage.run("ingest", file, "--run-id", runId, "--rate", "20");
    expect(ingested.exitCode, ingested.stderr).toBe(0);
    expect(ingested.stdout).toBe(`${runId}\n`);
    const collected = await stage.run("collect", runId);
    expect(collected.exitCode, collected.stderr).toBe(3);
    await stopAll(workers);

    const stats = agent.stats();
    expect(stats.calls.SendMessage - before.calls.SendMessage).toBe(200);
    // The first run was at 500/s: only the workers' sends may be judged.
    const many = await readOutputs(stage.outDir, runId);
    const single = await readOutputs(stage.outDir, stage.runId);
    for (const name of ["results", "failures", "needsInput"] as const) {
      expect(lasting(many[name])).toEqual(lasting(single[name]));
      expect(many[name].header).toEqual(single[name].header);
    }
    expect(many.summary.rows).toEqual(single.summary.rows);
    expect(many.summary.failuresByReason).toEqual(single.summary.failuresByReason);
  });

  test("at --rate 20 three workers send at most 21 in any second and sustain 97 %", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 100 } });
    const workers = startWorkers(stage, 3);
    await stage.run("ingest", await stage.partners(200), "--rate", "20");
    const collected = await stage.run("collect", stage.runId);
    expect(collected.exitCode, collected.stderr).toBe(0);
    await stopAll(workers);
    const stats = agent.stats();
    expect(stats.calls.SendMessage).toBe(200);
    expect(stats.maxSendPerSecond).toBeLessThanOrEqual(21);
    expect(sendsPerSecond(stats)).toBeGreaterThanOrEqual(20 * 0.97);
  });

  test("a small run is not held up by a big one on the same agent", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 100 } });
    const [worker] = startWorkers(stage, 1);
    const rate = ["--rate", "20"];
    await stage.run(
      "ingest",
      await stage.partners(2_000, "big.csv"),
      "--run-id",
      `${stage.runId}-b`,
      ...rate,
    );
    await until(() => agent.stats().calls.SendMessage >= 20);

    const small = `${stage.runId}-s`;
    await stage.run("ingest", await stage.partners(50, "small.csv"), "--run-id", small, ...rate);
    const collected = await stage.run("collect", small);
    expect(collected.exitCode, collected.stderr).toBe(0);
    const { summary } = await readOutputs(stage.outDir, small);
    const tookMs = Date.parse(summary.finishedAt) - Date.parse(summary.startedAt);
    // 50 rows at half the rate are 5 s; it may take twice of that.
    expect(tookMs).toBeLessThanOrEqual(10_000);
    expect(agent.stats().maxSendPerSecond).toBeLessThanOrEqual(21);
    await stopAll([worker]);
  });

  test("a worker of another agent leaves a run alone, and takes it up when it is its own", async (context) => {
    const stage = await openStage(context);
    const other = await stage.agent({ duration: { kind: "fixed", ms: 10 } });
    const stranger = stage.start("worker");
    await stranger.untilSaid("Working on the runs of");
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 10 } });
    await stage.run("ingest", await stage.partners(20), "--rate", "200");
    // Two rounds of looking for runs.
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    expect(other.stats().calls).toMatchObject({ SendMessage: 0, card: 0 });
    const own = stage.start("worker");
    const collected = await stage.run("collect", stage.runId);
    expect(collected.exitCode, collected.stderr).toBe(0);
    expect(agent.stats().tasks).toBe(20);
    await stopAll([stranger, own]);
  });

  test("a worker whose key is refused ends with 4 while another goes on with its own", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({
      apiKey: "good-key-1234",
      duration: { kind: "fixed", ms: 10 },
    });
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "bad-key-1234" });
    await stage.run("ingest", await stage.partners(60), "--rate", "20");
    const refused = await stage.start("worker").ended;
    expect(refused.exitCode, refused.stderr).toBe(4);
    expect(refused.stderr).not.toContain("bad-key-1234");
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "good-key-1234" });
    const [worker] = startWorkers(stage, 1);
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "bad-key-1234" });
    await until(() => agent.stats().calls.SendMessage >= 5);
    const second = await stage.start("worker").ended;
    expect(second.exitCode, second.stderr).toBe(4);
    // Another one still has accepted calls: the run is not told to lack credentials.
    expect(await stage.redis.hget(`onboard-batch:{${stage.runId}}:progress`, "statusReason")).toBe(
      "",
    );
    const collected = await stage.run("collect", stage.runId);
    expect(collected.exitCode, collected.stderr).toBe(0);
    expect(agent.stats().tasks).toBe(60);
    await stopAll([worker]);
  });

  test("without a collector the backlog stops new sends, and with it they go on", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 1 } });
    const config = await stage.write("config.yaml", "results: {backlog: 64KiB}\n");
    stage.setEnv({ ONBOARD_BATCH_CONFIG: config });
    const [worker] = startWorkers(stage, 1);
    await stage.run("ingest", await stage.partners(600), "--rate", "1000", "--poll-rate", "2000");
    const backlog = async (): Promise<number> =>
      Number(await stage.redis.hget(`onboard-batch:{${stage.runId}}:private`, "backlogBytes"));
    await until(async () => (await backlog()) > 64 * 1024);
    const held = await standstill(() => agent.stats().calls.SendMessage);
    expect(held).toBeLessThan(600);
    const collected = await stage.run("collect", stage.runId);
    expect(collected.exitCode, collected.stderr).toBe(0);
    expect(agent.stats().calls.SendMessage).toBe(600);
    await stopAll([worker]);
  });
});

function startWorkers(stage: Stage, count: number): CliProcess[] {
  return Array.from({ length: count }, () => stage.start("worker"));
}

/** A worker that is told to stop has stopped well. */
async function stopAll(workers: readonly (CliProcess | undefined)[]): Promise<void> {
  for (const worker of workers) worker?.signal("SIGTERM");
  for (const worker of workers) expect((await worker?.ended)?.exitCode).toBe(0);
}

/** The cells that do not depend on when and by whom a row was sent. */
function lasting({ rows }: OutputCsv): unknown[] {
  const passing = /^onboard_(run_id|task_id|context_id|polls|submitted_at|finished_at)$/;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !passing.test(name))),
  );
}

function sendsPerSecond({ calls, firstSendAt, lastSendAt }: SandboxStats): number {
  const tookMs = Date.parse(lastSendAt ?? "") - Date.parse(firstSendAt ?? "");
  return ((calls.SendMessage - 1) * 1_000) / tookMs;
}

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** The value once it has not changed for a second. */
async function standstill(read: () => number): Promise<number> {
  for (let last = read(); ; ) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const next = read();
    if (next === last) return next;
    last = next;
  }
}
