import { isLoopback } from "../a2a/agent-url.ts";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { exitCodeOf } from "../core/summary.ts";
import type { RunChoice } from "./choose-run.ts";
import { chooseRun } from "./choose-run.ts";
import { copyInput } from "./copy-input.ts";
import { knownEverywhere, knownFromDisk, settingsOf, wishOf } from "./prepare-run.ts";
import type { ChosenRun, RunEnd, RunFileDeps } from "./run-context.ts";
import { listRunsOnDisk, readRunOnDisk, runFolder } from "./run-folder.ts";
import { workOnRun } from "./work-on-run.ts";

/**
 * One partner file from its bytes to its output files: begins its run, goes on with it, or says that
 * it is settled.
 *
 * @throws OnboardError when the run could not even be begun
 */
export async function runFile(deps: RunFileDeps, file: string): Promise<RunEnd> {
  const { config, outDir } = deps;
  requireKey(deps);
  const copy = await copyInput(file, outDir);
  try {
    const wish = wishOf(config, file, copy.sha256);
    const onDisk = knownFromDisk(await listRunsOnDisk(outDir));
    const first = chooseRun(wish, onDisk);
    if (first.kind === "settled") return await settledEnd(outDir, first.runId);
    const redis = await deps.openRedis();
    const choice = chooseRun(wish, await knownEverywhere(redis.client, onDisk));
    return await workOnChoice({ ...deps, redis, copy, wish, file }, choice);
  } finally {
    await copy.discard();
  }
}

async function workOnChoice(deps: ChosenRun, choice: RunChoice): Promise<RunEnd> {
  const { config, outDir, wish } = deps;
  const { runId } = choice;
  const onDisk = await readRunOnDisk(outDir, runId);
  const settings =
    onDisk.header?.settings ?? settingsOf(config, { runId, wish, startedAtMs: Date.now() });
  return workOnRun(deps, settings);
}

async function settledEnd(outDir: string, runId: string): Promise<RunEnd> {
  const { summary } = await readRunOnDisk(outDir, runId);
  if (summary === undefined) throw new Error(`the summary of ${runId} was there and is gone`);
  return {
    runId,
    exitCode: exitCodeOf(summary),
    folder: runFolder(outDir, runId),
    summary,
    wasSettled: true,
    error: undefined,
  };
}

/** Anything but loopback needs a key, unless the configuration says that the agent wants none. */
function requireKey({ config, apiKey }: RunFileDeps): void {
  if (apiKey !== undefined || config.agent.auth === "none" || config.agent.url === "sandbox")
    return;
  if (isLoopback(new URL(config.agent.url))) return;
  throw new OnboardError(EXIT.usage, `there is no key for the agent at ${config.agent.url}`, {
    hint: "set ONBOARD_BATCH_API_KEY or ONBOARD_BATCH_API_KEY_FILE; for an agent without keys say agent.auth: none in the configuration file",
  });
}
