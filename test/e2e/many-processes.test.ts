import { describe, expect, test } from "vitest";
import type { OutputCsv } from "../helpers/run-outputs.ts";
import { readOutputs } from "../helpers/run-outputs.ts";
import { openStage } from "../helpers/stage.ts";
import { startWorkers, stopWorkers } from "../helpers/workers.ts";

describe("ingest, workers and collect", () => {
  test("three workers give what run gives", async (context) => {
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
    await stopWorkers(workers);

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

  test("ingest shows that it works on the run while nobody else does", async (context) => {
    const stage = await openStage(context);
    await stage.agent();
    const watch = stage.watch();
    await stage.run("ingest", await stage.partners(20_000));
    const beats = new Set(watch.readings.map(({ heartbeatAt }) => heartbeatAt));
    // The first is of the run's beginning; feeding takes some seconds.
    expect(beats.size).toBeGreaterThanOrEqual(3);
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
    await stopWorkers([stranger, own]);
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
    await stopWorkers([worker]);
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
    await stopWorkers([worker]);
  });
});

/** The cells that do not depend on when and by whom a row was sent. */
function lasting({ rows }: OutputCsv): unknown[] {
  const passing = /^onboard_(run_id|task_id|context_id|polls|submitted_at|finished_at)$/;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !passing.test(name))),
  );
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
