import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Config } from "../config/schema.ts";
import { copyInput, STDIN } from "./copy-input.ts";
import { earlierAnswersFor } from "./earlier-answers.ts";
import type { InputInspection } from "./inspect-input.ts";
import { inspectInput } from "./inspect-input.ts";
import { planOf } from "./open-run.ts";
import { settingsOf, wishOf } from "./prepare-run.ts";
import type { RunFileDeps } from "./run-context.ts";

export interface CheckDeps extends Pick<RunFileDeps, "stdin" | "stopSignal" | "stateDir"> {
  readonly config: Config;
}

/**
 * Reads a whole partner file as a run would, and calls and keeps nothing.
 *
 * @param file absolute, or `-` for the standard input
 * @throws OnboardError exit 2 when a run would refuse the file
 */
export async function checkFile(deps: CheckDeps, file: string): Promise<InputInspection> {
  if (file !== STDIN) return inspect(deps, file, file);
  // What comes through a pipe can be read only once, and is needed twice.
  const dir = await mkdtemp(path.join(tmpdir(), "onboard-batch-check-"));
  try {
    const copy = await copyInput(file, dir, { stream: deps.stdin, signal: deps.stopSignal });
    return await inspect(deps, file, copy.path);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function inspect(
  { config, stateDir, stopSignal }: CheckDeps,
  file: string,
  readFrom: string,
): Promise<InputInspection> {
  const wish = wishOf(config, file, "");
  const settings = settingsOf(config, { runId: "", wish, startedAtMs: 0 });
  const earlier = earlierAnswersFor({ config, stateDir }, settings);
  return inspectInput(await planOf(settings, readFrom), stopSignal, earlier);
}
