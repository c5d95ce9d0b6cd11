import { expect, type TestContext } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { allRows, readOutputs, rowsUpTo } from "./run-outputs.ts";
import { openStage, type Stage, type StageAgent } from "./stage.ts";

/** A stage whose commands use the Redis of its configuration file, and an agent that is quick. */
export interface TopologyStage extends Stage {
  readonly quickAgent: StageAgent;
  /** Words of a `run` that takes a few seconds. */
  runWords(rows: number): Promise<readonly string[]>;
  /** Every row is in the results, and the agent has had it once. */
  expectAllOnce(rows: number): Promise<void>;
}

const QUICK: SandboxOptions = { duration: { kind: "uniform", minMs: 50, maxMs: 400 } };

/** @param redis the lines of the section `redis` of the configuration file */
export async function openTopologyStage(
  context: Pick<TestContext, "onTestFinished">,
  redis: readonly string[],
  agent: SandboxOptions = QUICK,
): Promise<TopologyStage> {
  const stage = await openStage(context);
  const lines = ["redis:", ...redis.map((line) => `  ${line}`)];
  await stage.write("onboard-batch.yaml", `${lines.join("\n")}\n`);
  stage.setEnv({ ONBOARD_BATCH_REDIS: undefined });
  const quickAgent = await stage.agent(agent);
  return {
    ...stage,
    quickAgent,
    runWords: async (rows) => [
      "run",
      await stage.partners(rows),
      "--rate",
      "30",
      "--poll-rate",
      "200",
    ],
    expectAllOnce: async (rows) => {
      const outputs = await readOutputs(stage.outDir);
      expect(allRows(outputs)).toEqual(rowsUpTo(rows));
      expect(outputs.results.rows).toHaveLength(rows);
      expect(quickAgent.stats().tasks).toBe(rows);
    },
  };
}
