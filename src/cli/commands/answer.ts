import path from "node:path";
import type { ExitCode } from "../../core/exit-code.ts";
import { EXIT } from "../../core/exit-code.ts";
import { findRun } from "../../runs/find-run.ts";
import { readRunAnswers } from "../../runs/given-answers.ts";
import { answerRun } from "../../runs/retry-run.ts";
import type { RunCommand } from "../command.ts";
import { createCommandParts } from "../command-parts.ts";
import { worstExitCode } from "../exit-codes.ts";
import { findDeps } from "../run-deps.ts";
import { showRun } from "../shown-run.ts";
import { stoppable } from "../stoppable.ts";

/** `onboard-batch answer <needs-input.csv>`: sends a person's answers to the tasks that wait for them. */
export const answer: RunCommand = async ({ words: [file = ""] }, context) => {
  const loaded = await context.loadConfig();
  const { cwd } = context.io;
  const given = await readRunAnswers(path.resolve(cwd, file), file);
  if (given.length === 0) {
    context.output.say(`${file} has no answers: fill in the column onboard_answer.`);
    return EXIT.ok;
  }
  const parts = createCommandParts(context, loaded);
  const finding = findDeps({ io: context.io, loaded, parts });
  const input = loaded.config.input;
  return stoppable(context, parts.app, async (stopSignal) => {
    const exitCodes: ExitCode[] = [];
    for (const { runId, answers } of given) {
      if (stopSignal.aborted) break;
      const shown = { context, loaded, parts, stopSignal, file: undefined };
      const exitCode = await showRun(shown, async (deps) => {
        const { run } = await findRun(finding, { kind: "id", text: runId });
        return answerRun({ ...deps, input: input && path.resolve(cwd, input) }, run, answers);
      });
      exitCodes.push(exitCode);
    }
    return worstExitCode(exitCodes);
  });
};
