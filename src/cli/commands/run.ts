import type { ExitCode } from "../../core/exit-code.ts";
import { runFile } from "../../runs/run-file.ts";
import type { RunCommand } from "../command.ts";
import { createCommandParts } from "../command-parts.ts";
import { worstExitCode } from "../exit-codes.ts";
import { inputPath } from "../run-deps.ts";
import { showRun } from "../shown-run.ts";
import { stoppable } from "../stoppable.ts";

/** `onboard-batch run`: each file a run of its own; one bad file stops none, the worst exit code wins. */
export const run: RunCommand = async ({ words }, context) => {
  const loaded = await context.loadConfig();
  const parts = createCommandParts(context, loaded);
  return stoppable(context, parts.app, async (stopSignal) => {
    const exitCodes: ExitCode[] = [];
    for (const file of words) {
      if (stopSignal.aborted) break;
      const given = inputPath(context.io.cwd, file);
      const shown = { context, loaded, parts, stopSignal, file };
      exitCodes.push(await showRun(shown, (deps) => runFile(deps, given)));
    }
    return worstExitCode(exitCodes);
  });
};
