import { EXIT } from "../../core/exit-code.ts";
import { ingestFile } from "../../runs/ingest-file.ts";
import type { RunCommand } from "../command.ts";
import { createCommandParts } from "../command-parts.ts";
import { inputPath, runFileDeps } from "../run-deps.ts";
import { showRunEnd } from "../run-end.ts";
import { stoppable } from "../stoppable.ts";

/** `onboard-batch ingest`: the run's id on stdout, for workers and a collector elsewhere. */
export const ingest: RunCommand = async ({ words: [file = ""] }, context) => {
  const loaded = await context.loadConfig();
  const { io, output } = context;
  const parts = createCommandParts(context, loaded);
  const { terminal } = loaded.config;
  const startedAtMs = io.now();
  return stoppable(context, parts.app, async (stopSignal) => {
    const deps = runFileDeps({ io, loaded, parts }, { stopSignal, onView: () => undefined });
    const end = await ingestFile(deps, inputPath(io.cwd, file));
    const tookMs = io.now() - startedAtMs;
    if (end.wasSettled || end.exitCode !== EXIT.ok) {
      showRunEnd({ output, terminal, file, tookMs }, end);
    } else if (terminal.json) output.jsonResult({ runId: end.runId });
    if (!terminal.json) output.result(end.runId);
    return end.exitCode;
  });
};
