import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { Redis } from "ioredis";
import { describe, expect, test, vi } from "vitest";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { managedFolder, openStage, type Stage } from "../helpers/stage.ts";

/** Enough for a machine that is busy with other things; a quiet one takes a fraction. */
const PATIENCE = { timeout: 180_000 };

const ROWS = 60;
const RATES = ["--rate", "20", "--poll-rate", "50"];

describe.concurrent("run without a Redis", PATIENCE, () => {
  test("starts one of its own, and ends it with the run", async (context) => {
    const { stage, agent, file } = await setUp(context, 3);
    const process = stage.start("run", file, ...RATES);
    await vi.waitFor(() => expect(agent.stats().tasks).toBeGreaterThan(0), { timeout: 40_000 });
    const pid = await serverPid(stage);
    expect(isAlive(pid)).toBe(true);
    const end = await process.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectEnded(stage, pid, end.stderr);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(3));
  });

  test("shares it with a second run: the last one out ends it", async (context) => {
    const { stage, file } = await setUp(context, 20);
    const other = await stage.partners(60, "other.csv");
    const runs = [
      stage.start("run", file, ...RATES),
      stage.start("run", other, ...RATES, "--run-id", `${stage.runId}-other`),
    ];
    const [first] = await Promise.all(runs.map(({ ended }) => ended));
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    expect(
      ends.map(({ exitCode }) => exitCode),
      first?.stderr,
    ).toEqual([0, 0]);
    expect(existsSync(path.join(managedFolder(stage.dir), "redis.sock"))).toBe(false);
  });

  test("after kill -9 finds the server that stayed, goes on, and ends it", async (context) => {
    const { stage, agent, file } = await setUp(context, ROWS);
    const first = stage.start("run", file, ...RATES);
    await vi.waitFor(() => expect(agent.stats().tasks).toBeGreaterThan(15), { timeout: 40_000 });
    await first.kill();
    const pid = await serverPid(stage);
    expect(isAlive(pid)).toBe(true);
    expect(await rowsDone(stage)).toBeLessThan(ROWS);

    const second = stage.start("run", file, ...RATES);
    const before = agent.stats().tasks;
    await vi.waitFor(() => expect(agent.stats().tasks).toBeGreaterThan(before), {
      timeout: 40_000,
    });
    expect(await serverPid(stage)).toBe(pid);
    const end = await second.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectEnded(stage, pid, end.stderr);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(ROWS));
    expect(agent.stats().tasks).toBe(ROWS);
  });

  test("goes on with what a killed server had acknowledged", async (context) => {
    const { stage, agent, file } = await setUp(context, ROWS);
    const running = stage.start("run", file, ...RATES);
    await vi.waitFor(() => expect(agent.stats().tasks).toBeGreaterThan(15), { timeout: 40_000 });
    const pid = await serverPid(stage);
    process.kill(pid, "SIGKILL");
    const end = await running.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    expect(allRows(await readOutputs(stage.outDir))).toEqual(rowsUpTo(ROWS));
    expect(agent.stats().tasks).toBe(ROWS);
    expect(existsSync(path.join(managedFolder(stage.dir), "redis.sock"))).toBe(false);
  });
});

async function setUp(context: Parameters<typeof openStage>[0], rows: number) {
  const stage = await openStage(context);
  const agent = await stage.agent({ duration: { kind: "fixed", ms: 500 } });
  stage.setEnv({ ONBOARD_BATCH_REDIS: undefined });
  return { stage, agent, file: await stage.partners(rows) };
}

async function serverPid({ dir }: Stage): Promise<number> {
  return Number(await readFile(path.join(managedFolder(dir), "redis.pid"), "utf8"));
}

async function rowsDone({ dir, runId }: Stage): Promise<number> {
  const client = new Redis({ path: path.join(managedFolder(dir), "redis.sock") });
  const done = await client.hget(`onboard-batch:{${runId}}:progress`, "succeeded");
  client.disconnect();
  return Number(done);
}

/** A server whose parent was killed is a zombie until somebody takes its exit code. */
async function expectEnded({ dir }: Stage, pid: number, stderr: string): Promise<void> {
  expect(existsSync(path.join(managedFolder(dir), "redis.sock")), stderr).toBe(false);
  await vi.waitFor(() => expect(isAlive(pid)).toBe(false), { timeout: 10_000 });
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
