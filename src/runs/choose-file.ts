import { existsSync } from "node:fs";
import type { RunSettings } from "../core/run-settings.ts";
import { exitCodeOf } from "../core/summary.ts";
import type { RedisHandle } from "../redis/connect.ts";
import { chooseRun } from "./choose-run.ts";
import type { InputCopy } from "./copy-input.ts";
import { copyInput } from "./copy-input.ts";
import type { OpenRunDeps } from "./open-run.ts";
import { planOf } from "./open-run.ts";
import { knownEverywhere, knownFromDisk, settingsOf, wishOf } from "./prepare-run.ts";
import { requireKey } from "./require-key.ts";
import type { RunEnd, RunFileDeps } from "./run-context.ts";
import { listRunsOnDisk, readRunOnDisk, runFolder } from "./run-folder.ts";

/** A partner file with the run that it belongs to. */
export interface ChosenFile {
  readonly settings: RunSettings;
  readonly redis: RedisHandle;
  readonly opening: OpenRunDeps;
}

/**
 * Copies a partner file, finds out which run it means, and goes on with that; a run that is settled
 * on this disk needs nothing more.
 *
 * @throws OnboardError when the file or the choice is refused (exit 2)
 */
export async function withChosenFile(
  deps: RunFileDeps,
  file: string,
  goOn: (chosen: ChosenFile) => Promise<RunEnd>,
): Promise<RunEnd> {
  requireKey(deps.config.agent, deps.apiKey);
  const copy = await copyInput(file, deps.outDir, { stream: deps.stdin, signal: deps.stopSignal });
  try {
    const wish = wishOf(deps.config, file, copy.sha256);
    const onDisk = knownFromDisk(await listRunsOnDisk(deps.outDir));
    const first = chooseRun(wish, onDisk);
    if (first.kind === "settled") return await settledEnd(deps.outDir, first.runId);
    const startedAtMs = Date.now();
    // What cannot be read is refused before anything is opened or begun.
    await planOf(settingsOf(deps.config, { ...first, wish, startedAtMs }), copy.path);
    const redis = await deps.openRedis();
    const { runId } = chooseRun(wish, await knownEverywhere(redis.client, onDisk));
    const { header } = await readRunOnDisk(deps.outDir, runId);
    const settings = header?.settings ?? settingsOf(deps.config, { runId, wish, startedAtMs });
    // The run has its own copy: this one would lie there for as long as it takes, or for ever after a kill.
    if (existsSync(runFolder(deps.outDir, runId).input)) await copy.discard();
    return await goOn({ settings, redis, opening: openingOf(deps, redis, copy) });
  } finally {
    await copy.discard();
  }
}

function openingOf(deps: RunFileDeps, { client }: RedisHandle, copy: InputCopy): OpenRunDeps {
  const { outDir, warn, stopSignal } = deps;
  return { client, outDir, warn, stopSignal, placeInput: (target) => copy.moveTo(target) };
}

/** The end of a run that is settled on this disk: nothing is left to do. */
export async function settledEnd(outDir: string, runId: string): Promise<RunEnd> {
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
