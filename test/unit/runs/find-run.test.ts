import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { OnboardError } from "../../../src/core/errors.ts";
import { EXIT, type ExitCode } from "../../../src/core/exit-code.ts";
import {
  type FindDeps,
  type FoundRun,
  findRun,
  findRuns,
  pickRun,
} from "../../../src/runs/find-run.ts";
import { tempFolder } from "../csv/temp-folder.ts";
import { makeRun, refusalOf } from "./run-fixture.ts";

function known(...runIds: string[]): FoundRun[] {
  return runIds.map((runId, startedAtMs) => ({
    runId,
    startedAtMs,
    settings: undefined,
    listed: undefined,
    onDisk: undefined,
  }));
}

const idOf = (text: string) => ({ kind: "id", text }) as const;

/** The refusal of a name. */
function refusal(runs: readonly FoundRun[], name: Parameters<typeof pickRun>[1]): OnboardError {
  try {
    pickRun(runs, name);
  } catch (error) {
    if (error instanceof OnboardError) return error;
  }
  throw new Error("was not refused");
}

describe("the name of a run", () => {
  it.each([
    ["its id", "partners-2"],
    ["a beginning that no other has", "partners-2".slice(0, 10)],
  ])("may be %s", (_, text) => {
    expect(pickRun(known("partners-1", "partners-2"), idOf(text)).runId).toBe("partners-2");
  });

  it("means the run whose id it is, also when others begin with it", () => {
    expect(pickRun(known("p-1", "p-1-2"), idOf("p-1")).runId).toBe("p-1");
  });

  it("may be `last`: the run that was begun last", () => {
    expect(pickRun(known("z", "a"), { kind: "last" }).runId).toBe("a");
  });

  it("is refused with all that begin with it, the newest first", () => {
    const error = refusal(known("p-1", "q-1", "p-2"), idOf("p"));
    expect(error).toMatchObject({ exitCode: 2, message: "2 runs begin with p" });
    expect(error.hint).toBe("name one of them: p-2, p-1");
  });

  it("is refused with what there is, at most ten of them", () => {
    const runs = known(...Array.from({ length: 12 }, (_, index) => `p-${index}`));
    const error = refusal(runs, idOf("q"));
    expect(error).toMatchObject({ exitCode: 2, message: "there is no run q" });
    expect(error.hint).toContain("p-11, p-10, p-9");
    expect(error.hint).toContain("p-2 and 2 more");
  });

  it("is refused where there is no run at all", () => {
    expect(refusal([], idOf("q")).hint).toContain("check --redis and --out");
    expect(refusal([], { kind: "last" })).toMatchObject({ exitCode: 2 });
  });
});

async function setup(outDir: string, failWith?: { readonly exitCode: ExitCode }) {
  const warnings: string[] = [];
  let asked = 0;
  const deps: FindDeps = {
    outDir,
    redisKind: "url",
    stateDir: await tempFolder(),
    openRedis: () => {
      asked += 1;
      throw new OnboardError(failWith?.exitCode ?? EXIT.unavailable, "Redis did not answer");
    },
    warn: (text) => warnings.push(text),
  };
  return { deps, warnings, asked: () => asked };
}

const SETTLED = { runId: "settled", status: "completed", startedAt: "2026-11-30T19:00:00.000Z" };

async function writeSettled(outDir: string): Promise<void> {
  await mkdir(path.join(outDir, "settled"));
  await writeFile(path.join(outDir, "settled", "summary.json"), JSON.stringify(SETTLED));
}

describe("where runs are looked for", () => {
  it("is the folder alone, and people are told, while Redis is away", async () => {
    const { outDir, journal } = await makeRun("name\nACME\n");
    await journal();
    await writeSettled(outDir);
    const { deps, warnings } = await setup(outDir);
    const { runs, redis } = await findRuns(deps);
    expect(redis).toBeUndefined();
    expect(runs.map(({ runId }) => runId)).toEqual(["settled", "partners-1"]);
    expect(warnings).toEqual([`Redis did not answer: going on with what ${outDir} tells`]);
  });

  it("is nowhere when Redis is away and the folder is empty", async () => {
    const { deps } = await setup(await tempFolder());
    const error = await refusalOf(findRuns(deps), EXIT.unavailable);
    expect(error.message).toBe("Redis did not answer");
  });

  it("is not the folder alone when Redis is named wrongly", async () => {
    const { outDir, journal } = await makeRun("name\nACME\n");
    await journal();
    const { deps } = await setup(outDir, { exitCode: EXIT.usage });
    const error = await refusalOf(findRuns(deps), EXIT.usage);
    expect(error.message).toBe("Redis did not answer");
  });

  it("is no private Redis that has never been started", async () => {
    const { deps, asked, warnings } = await setup(await tempFolder());
    expect(await findRuns({ ...deps, redisKind: "managed" })).toEqual({
      runs: [],
      redis: undefined,
    });
    expect({ asked: asked(), warnings }).toEqual({ asked: 0, warnings: [] });
  });

  it.each(["appendonlydir", "appendonly.aof", "redis.sock"])(
    "is the private Redis that has left its %s",
    async (trace) => {
      const { deps, asked } = await setup(await tempFolder());
      await mkdir(path.join(deps.stateDir, "redis", trace), { recursive: true });
      await refusalOf(findRuns({ ...deps, redisKind: "managed" }), EXIT.unavailable);
      expect(asked()).toBe(1);
    },
  );

  it("is the folder alone for a run that is settled there", async () => {
    const outDir = await tempFolder();
    await writeSettled(outDir);
    const { deps, asked } = await setup(outDir);
    const { run, redis } = await findRun(deps, idOf("settled"));
    expect(run).toMatchObject({
      runId: "settled",
      settings: undefined,
      onDisk: { summary: SETTLED },
    });
    expect({ redis, asked: asked() }).toEqual({ redis: undefined, asked: 0 });
  });

  it("is never outside the folder, whatever the name", async () => {
    const parent = await tempFolder();
    await writeSettled(parent);
    const { deps } = await setup(path.join(parent, "out"));
    const error = await refusalOf(findRun(deps, idOf("../settled")), EXIT.unavailable);
    expect(error.message).toBe("Redis did not answer");
  });
});
