import { requireKey } from "../../runs/require-key.ts";
import { workOnRuns } from "../../runs/work-on-runs.ts";
import type { RunCommand } from "../command.ts";
import { createCommandParts } from "../command-parts.ts";
import { stoppable } from "../stoppable.ts";

/** `onboard-batch worker`: works on every active run of its agent until a signal ends it. */
export const worker: RunCommand = async (_input, context) => {
  const loaded = await context.loadConfig();
  const { output } = context;
  const { config, secrets, machine } = loaded;
  const parts = createCommandParts(context, loaded);
  const { app, log, warn } = parts;
  requireKey(config.agent, secrets.apiKey);
  return stoppable(context, app, async (stopSignal) => {
    const redis = await app.openRedis();
    if (!config.terminal.quiet) {
      output.say(`Working on the runs of ${config.agent.url} in ${redis.name}; Ctrl-C ends it.`);
    }
    return workOnRuns({
      redis,
      log,
      logData: config.terminal.logData,
      warn,
      stopSignal,
      apiKey: secrets.apiKey,
      concurrency: config.concurrency,
      stateDir: machine.stateDir,
      openAgent: app.openAgent,
      agentUrl: config.agent.url,
    });
  });
};
