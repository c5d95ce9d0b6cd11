import { EXIT } from "../../core/exit-code.ts";
import { forecastCalls } from "../../core/forecast.ts";
import { checkFile } from "../../runs/check-file.ts";
import { exitCodeOfSignal } from "../../runs/session.ts";
import { renderCheck } from "../check-text.ts";
import type { RunCommand } from "../command.ts";
import { inputPath } from "../run-deps.ts";
import { withStopSignal } from "../signals.ts";

/** `onboard-batch check <file>`: what a run would make of a file; calls nothing and keeps nothing. */
export const check: RunCommand = async ({ words: [file = ""] }, context) => {
  const { config, machine } = await context.loadConfig();
  const { io, output } = context;
  return withStopSignal(io, async (stopSignal) => {
    try {
      const deps = { config, stateDir: machine.stateDir, stdin: io.stdin, stopSignal };
      const inspection = await checkFile(deps, inputPath(io.cwd, file));
      const { messages, reused } = inspection.rows;
      const forecast = forecastCalls(messages - reused, config.rates);
      if (config.terminal.json) output.jsonResult({ file, ...inspection, forecast });
      else output.result(renderCheck({ file, inspection, forecast }));
      return EXIT.ok;
    } catch (error) {
      if (stopSignal.aborted) return exitCodeOfSignal(stopSignal);
      throw error;
    }
  });
};
