import path from "node:path";
import { findRun } from "../../runs/find-run.ts";
import { retryRun } from "../../runs/retry-run.ts";
import type { RunCommand } from "../command.ts";
import { createCommandParts } from "../command-parts.ts";
import { requireRunName } from "../named-run.ts";
import { findDeps } from "../run-deps.ts";
import { showRun } from "../shown-run.ts";
import { stoppable } from "../stoppable.ts";

/** `onboard-batch retry <run>`: reopens a settled run and goes on until all is settled. */
export const retry: RunCommand = async (input, context) => {
  const loaded = await context.loadConfig();
  const { config } = loaded;
  const { cwd } = context.io;
  const name = requireRunName(input);
  const choice = input.flags["all"] === true ? "all" : "retryable";
  const given = config.input === undefined ? undefined : path.resolve(cwd, config.input);
  const parts = createCommandParts(context, loaded);
  const finding = findDeps({ io: context.io, loaded, parts });
  return stoppable(context, parts.app, async (stopSignal) => {
    const shown = { context, loaded, parts, stopSignal, file: undefined };
    return showRun(shown, async (deps) => {
      const { run } = await findRun(finding, name);
      return retryRun({ ...deps, input: given }, run, choice);
    });
  });
};
