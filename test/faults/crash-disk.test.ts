import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { expectSettledOnce } from "../helpers/settled-once.ts";
import { openStage, type Stage, type StageAgent } from "../helpers/stage.ts";

const PATIENCE = { timeout: 120_000 };
const ROWS = 120;
const DISK_SIZE = "2m";

interface Scene {
  readonly stage: Stage;
  readonly agent: StageAgent;
  readonly words: readonly string[];
  /** Takes all the room that is left on the disk, but for so many bytes. */
  readonly fill: (leftBytes: number) => Promise<void>;
  readonly makeRoom: () => Promise<void>;
}

/** What a user must see, whatever could not be written. */
const TOLD = /cannot (write|copy) .*ENOSPC/i;

describe.concurrent("a disk that is full", PATIENCE, () => {
  test("in the middle of a run ends it with exit 5, and the same command goes on when there is room", async (context) => {
    const scene = await setUp(context);
    const { stage, agent, words } = scene;
    const watch = stage.watch();
    const first = stage.start(...words);
    await watch.until(({ succeeded }) => Number(succeeded) >= 20);
    await scene.fill(0);
    const full = await first.ended;
    expect(full.exitCode, full.stderr).toBe(5);
    expect(full.stderr).toMatch(TOLD);
    expect(full.stderr).toContain("the same command");
    const stillFull = await stage.run(...words);
    expect(stillFull.exitCode, stillFull.stderr).toBe(5);
    expect(stillFull.stderr).toMatch(TOLD);
    await scene.makeRoom();
    const end = await stage.run(...words);
    expect(end.exitCode, end.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows: ROWS });
    expect(agent.stats().repeatedMessageIds).toBe(0);
  });

  test("when the agent's files come is no bug but exit 5", async (context) => {
    const bytes = 100_000;
    const file = { kind: "file", name: "a.pdf", mediaType: "application/pdf", bytes } as const;
    const scene = await setUp(context, { faults: [{ effect: file }] });
    const { stage, agent, words } = scene;
    const full = await stage.run(...words);
    expect(full.exitCode, full.stderr).toBe(5);
    expect(full.stderr).toMatch(TOLD);
    expect(agent.stats().tasks).toBeGreaterThan(10);
  });

  test("when the outputs are written leaves the run as it is until there is room", async (context) => {
    const scene = await setUp(context);
    const { stage, agent, words } = scene;
    const watch = stage.watch();
    const first = stage.start(...words);
    await watch.until(({ succeeded }) => Number(succeeded) >= 20);
    // Enough for the journal, not for the outputs beside it.
    await scene.fill(70_000);
    const full = await first.ended;
    expect(full.exitCode, full.stderr).toBe(5);
    expect(full.stderr).toMatch(TOLD);
    await scene.makeRoom();
    const end = await stage.run(...words);
    expect(end.exitCode, end.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows: ROWS });
  });
});

/** A stage whose output folder is a small disk of its own; skips where none can be mounted. */
async function setUp(context: TestContext, options: SandboxOptions = {}): Promise<Scene> {
  const stage = await openStage(context);
  mkdirSync(stage.outDir);
  const mount = ["-t", "tmpfs", "-o", `size=${DISK_SIZE}`, "tmpfs", stage.outDir];
  const mounted = spawnSync("mount", mount);
  context.skip(mounted.status !== 0, "only root can mount a small disk");
  context.onTestFinished(() => {
    spawnSync("umount", ["-l", stage.outDir]);
  });
  const agent = await stage.agent({ duration: { kind: "fixed", ms: 50 }, ...options });
  const file = await stage.partners(ROWS);
  // Beside the runs, whose folders have names without a dot.
  const ballast = path.join(stage.outDir, ".ballast");
  return {
    stage,
    agent,
    words: ["run", file, "--rate", "60", "--poll-rate", "200"],
    async fill(leftBytes) {
      const take = Math.max(0, freeBytesOf(stage.outDir) - leftBytes);
      // The run takes room meanwhile: what does not fit has filled the disk as well.
      await writeFile(ballast, Buffer.alloc(take)).catch(() => undefined);
    },
    makeRoom: () => rm(ballast, { force: true }),
  };
}

function freeBytesOf(dir: string): number {
  const { stdout } = spawnSync("df", ["-B1", "--output=avail", dir]);
  return Number(stdout.toString().split("\n")[1]);
}
