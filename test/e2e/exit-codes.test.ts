import { existsSync } from "node:fs";
import { access, readdir } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test, vi } from "vitest";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage } from "../helpers/stage.ts";

/** Enough for a machine that is busy with other things; a quiet one takes a fraction. */
const PATIENCE = { timeout: 180_000 };

const AT_ONCE = { duration: { kind: "fixed", ms: 0 } } as const;
const SLOW = { duration: { kind: "fixed", ms: 60_000 } } as const;

describe.concurrent("exit code 0", PATIENCE, () => {
  test("means that every row succeeded, also when the command is repeated", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(AT_ONCE);
    const file = await stage.partners(3);
    expect((await stage.run("run", file)).exitCode).toBe(0);
    const again = await stage.run("run", file);
    expect(again.exitCode).toBe(0);
    expect(again.stderr).toMatch(/settled/);
    expect(agent.stats().calls).toMatchObject({ SendMessage: 3, card: 1 });
  });

  test("is the end of a settled run also when Redis has forgotten it", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(AT_ONCE);
    const first = await stage.privateRedis();
    const file = await stage.partners(2);
    expect((await stage.run("run", file)).exitCode).toBe(0);
    await first.stop();
    // Not even a Redis is needed to know.
    const again = await stage.run("run", file);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(agent.stats().calls.SendMessage).toBe(2);
  });
});

describe.concurrent("exit code 2", PATIENCE, () => {
  test.for([
    [["run", "--no-such-flag", "partners.csv"], "--no-such-flag"],
    [["no-such-command"], "no-such-command"],
    [["run"], "file"],
    [["run", "partners.csv", "--rate", "fast"], "--rate"],
  ] as const)("means a command that cannot be understood: %s", async ([words, named], context) => {
    const stage = await openStage(context);
    const end = await stage.run(...words);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain(named);
    expect(end.stdout).toBe("");
  });

  test("means a configuration with faults, all told at once with their places", async (context) => {
    const stage = await openStage(context);
    const yaml = "rate: -3\npoolRate: 20\nagent:\n  giveUpAfter: soon\n";
    const config = await stage.write("settings.yaml", yaml);
    const end = await stage.run("run", await stage.partners(1), "--config", config);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toMatch(/settings\.yaml:1:\d+/);
    expect(end.stderr).toMatch(/settings\.yaml:2:\d+/);
    expect(end.stderr).toMatch(/settings\.yaml:4:\d+/);
    expect(end.stderr).toContain("pollRate");
  });

  test("means a file that is not there", async (context) => {
    const stage = await openStage(context);
    await stage.agent(AT_ONCE);
    const end = await stage.run("run", "missing.csv");
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain("missing.csv");
  });

  test("means a file without a column for the name, and leaves nothing behind", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(AT_ONCE);
    const file = await stage.write("partners.csv", "id,colour\n1,red\n");
    const end = await stage.run("run", file);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain("--map name=");
    expect(existsSync(stage.outDir) ? await readdir(stage.outDir) : []).toEqual([]);
    expect(await stage.redis.exists(`onboard-batch:{${stage.runId}}:progress`)).toBe(0);
    expect(await stage.redis.zscore("onboard-batch:runs", stage.runId)).toBeNull();
    expect(agent.stats().calls.SendMessage).toBe(0);
  });

  test("means no key for an agent that is not on this machine", async (context) => {
    const stage = await openStage(context);
    const end = await stage.run(
      "run",
      await stage.partners(1),
      "--agent-url",
      "https://agent.invalid/a2a/",
    );
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain("ONBOARD_BATCH_API_KEY");
  });

  test("means an unfinished run of the same bytes under other settings", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(SLOW);
    stage.setEnv({ ONBOARD_BATCH_RUN_ID: undefined });
    const file = await stage.partners(1);
    const first = stage.start("run", file);
    await vi.waitFor(() => expect(agent.stats().tasks).toBe(1), { timeout: 40_000 });
    first.signal("SIGTERM");
    await first.ended;
    const [runId = ""] = await readdir(stage.outDir);

    const other = await stage.run("run", file, "--no-dedupe");
    expect(other.exitCode).toBe(2);
    for (const named of [runId, "--run-id", "--fresh"]) expect(other.stderr).toContain(named);
    expect(await readdir(stage.outDir)).toEqual([runId]);
  });

  test("means a --run-id that belongs to other bytes", async (context) => {
    const stage = await openStage(context);
    await stage.agent(AT_ONCE);
    await stage.run("run", await stage.partners(1, "first.csv"), "--run-id", stage.runId);
    const second = await stage.partners(2, "second.csv");
    const end = await stage.run("run", second, "--run-id", stage.runId);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain(stage.runId);
  });

  test("means another --out than the run's own, naming both", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(SLOW);
    const file = await stage.partners(1);
    const first = stage.start("run", file);
    await vi.waitFor(() => expect(agent.stats().tasks).toBe(1), { timeout: 40_000 });
    first.signal("SIGTERM");
    await first.ended;
    const elsewhere = path.join(stage.dir, "elsewhere");
    const end = await stage.run("run", file, "--out", elsewhere);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain(elsewhere);
    expect(end.stderr).toContain(stage.outDir);
  });
});

describe.concurrent("exit code 5", PATIENCE, () => {
  test("means a Redis that does not answer: waited for, then told", async (context) => {
    const stage = await openStage(context);
    const nobody = await stage.gateway(await stage.agent(AT_ONCE), "cut");
    const url = `redis://${new URL(nobody.url).host}`;
    const end = await stage.run("run", await stage.partners(1), "--redis", url);
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toContain(url);
    expect(end.tookMs).toBeGreaterThan(9_000);
    expect(end.tookMs).toBeLessThan(30_000);
  });

  test("means that no redis-server was found, with the line that installs one", async (context) => {
    const usual = ["/opt/homebrew/bin", "/usr/local/bin", "/home/linuxbrew/.linuxbrew/bin"];
    const found = await Promise.all(usual.map((folder) => hasServer(folder)));
    context.skip(found.includes(true), "a redis-server lies where it is always looked for");
    const stage = await openStage(context);
    await stage.agent(AT_ONCE);
    stage.setEnv({ PATH: stage.dir, ONBOARD_BATCH_REDIS: undefined });
    const end = await stage.run("run", await stage.partners(1));
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toMatch(/install|docker run/);
  });

  test("means an agent that stayed away for longer than agent.giveUpAfter", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(AT_ONCE);
    const gateway = await stage.gateway(agent, "cut");
    const config = await stage.write("settings.yaml", "agent: { giveUpAfter: 2s }\n");
    const file = await stage.partners(3);
    const end = await stage.run("run", file, "--config", config);
    expect(end.exitCode).toBe(5);
    expect(end.stderr).toContain("same command");
    expect(end.stderr).toContain(`onboard-batch report ${stage.runId}`);
    const progress = await stage.redis.hgetall(`onboard-batch:{${stage.runId}}:progress`);
    expect(progress).toMatchObject({ pending: "3", failed: "0", statusReason: "agent-down" });

    await gateway.mend();
    const again = await stage.run("run", file, "--config", config);
    expect(again.exitCode, again.stderr).toBe(0);
    expect(agent.stats().tasks).toBe(3);
  });
});

describe.concurrent("exit code 6", PATIENCE, () => {
  test("means that another living process holds the run, which goes on", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(AT_ONCE);
    // Without its agent the first process lives for as long as the second needs.
    const gateway = await stage.gateway(agent, "cut");
    const file = await stage.partners(20);
    const first = stage.start("run", file, "--rate", "20");
    await first.untilSaid("agent.away");
    const second = await stage.run("run", file, "--rate", "20");
    expect(second.exitCode, second.stderr).toBe(6);
    expect(second.stderr).toContain(String(first.pid));
    await gateway.mend();
    const end = await first.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(20));
    expect(agent.stats()).toMatchObject({ tasks: 20, repeatedMessageIds: 0 });
  });
});

describe.concurrent("exit code 7", PATIENCE, () => {
  test("means that the first 20 answered rows were all refused: the rest is not sent", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({
      faults: [{ match: { method: "SendMessage" }, effect: { kind: "rpc-error", code: -32602 } }],
    });
    const rows = 120;
    const file = await stage.partners(rows);
    const end = await stage.run("run", file, "--rate", "50");
    expect(end.exitCode, end.stderr).toBe(7);
    const outputs = await readOutputs(stage.outDir);
    const { summary, failures, unprocessed, results } = outputs;
    expect(summary).toMatchObject({ status: "stopped", statusReason: "refused" });
    expect(allRows(outputs)).toEqual(rowsUpTo(rows));
    expect(results.rows).toEqual([]);
    // What was on the wire when the 20th was refused may still be answered.
    expect(failures.rows.length).toBeGreaterThanOrEqual(20);
    expect(failures.rows.length).toBeLessThan(60);
    expect(new Set(unprocessed.rows.map((row) => row["onboard_reason"]))).toEqual(
      new Set(["STOPPED"]),
    );
    expect(unprocessed.header).toEqual([
      "id",
      "name",
      "country",
      "city",
      "onboard_run_id",
      "onboard_row",
      "onboard_line",
      "onboard_reason",
    ]);
    expect(summary.rows).toMatchObject({
      failed: failures.rows.length,
      unprocessed: unprocessed.rows.length,
      pending: 0,
      open: 0,
    });
    const { calls } = agent.stats();
    expect(calls.SendMessage).toBe(failures.rows.length);

    const again = await stage.run("run", file, "--rate", "50");
    expect(again.exitCode).toBe(7);
    expect(agent.stats().calls).toEqual(calls);
  });
});

async function hasServer(folder: string): Promise<boolean> {
  const looks = ["redis-server", "valkey-server"].map((name) => access(path.join(folder, name)));
  return (await Promise.allSettled(looks)).some(({ status }) => status === "fulfilled");
}
