import path from "node:path";
import { collectRun } from "../../runs/collect-run.ts";
import { findRun } from "../../runs/find-run.ts";
import { answerStoreOf } from "../../runs/run-context.ts";
import type { RunCommand } from "../command.ts";
import { createCommandParts } from "../command-parts.ts";
import { requireRunName } from "../named-run.ts";
import { showRunEnd } from "../run-end.ts";
import { stoppable } from "../stoppable.ts";

/** `onboard-batch collect`: writes the outputs of a run that others work on. */
export const collect: RunCommand = async (input, context) => {
  const loaded = await context.loadConfig();
  const { io, output } = context;
  const { config, machine } = loaded;
  const name = requireRunName(input);
  const { app, log, warn } = createCommandParts(context, loaded);
  const { openRedis } = app;
  const outDir = path.resolve(io.cwd, config.out);
  const given = config.input === undefined ? undefined : path.resolve(io.cwd, config.input);
  const finding = { outDir, redisKind: config.redis.kind, stateDir: machine.stateDir };
  const answers = answerStoreOf({ config, stateDir: machine.stateDir });
  const startedAtMs = io.now();
  return stoppable(context, app, async (stopSignal) => {
    const { run } = await findRun({ ...finding, openRedis, warn }, name);
    const end = await collectRun(
      { openRedis, log, warn, outDir, input: given, form: config.output, answers, stopSignal },
      run,
    );
    const tookMs = io.now() - startedAtMs;
    showRunEnd({ output, terminal: config.terminal, file: undefined, tookMs }, end);
    return end.exitCode;
  });
};
