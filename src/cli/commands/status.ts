import { EXIT } from "../../core/exit-code.ts";
import { findRun, findRuns } from "../../runs/find-run.ts";
import type { RunStanding } from "../../runs/status.ts";
import { readStanding } from "../../runs/status.ts";
import type { RunCommand } from "../command.ts";
import { runNameOf, withRuns } from "../named-run.ts";
import { renderRun, renderRunTable } from "../status-text.ts";

/** `onboard-batch status [run]`: changes nothing, and starts no Redis that has never been. */
export const status: RunCommand = async (input, context) => {
  const loaded = await context.loadConfig();
  const { output } = context;
  const { json } = loaded.config.terminal;
  const { apiKey } = loaded.secrets;
  const name = runNameOf(input);
  await withRuns(context, loaded, async (deps) => {
    const { outDir, warn } = deps;
    if (name !== undefined) {
      const { run, redis } = await findRun(deps, name);
      const standing = await readStanding({ outDir, redis, apiKey, warn }, run);
      if (json) output.jsonResult(standing.summary);
      else output.result(renderRun(standing));
      return;
    }
    const { runs, redis } = await findRuns(deps);
    const standings: RunStanding[] = [];
    for (const run of runs) {
      standings.push(await readStanding({ outDir, redis, apiKey, warn }, run));
    }
    if (json) output.jsonResult(standings.map(({ summary }) => summary));
    else if (standings.length > 0) output.result(renderRunTable(standings));
    else output.say(`There is no run, neither in Redis nor in ${outDir}.`);
  });
  return EXIT.ok;
};
