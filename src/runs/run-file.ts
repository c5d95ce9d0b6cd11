import { withChosenFile } from "./choose-file.ts";
import type { EarlierAnswers } from "./earlier-answers.ts";
import { earlierAnswersFor } from "./earlier-answers.ts";
import { holdRun } from "./hold-run.ts";
import type { RunEnd, RunFileDeps } from "./run-context.ts";
import { answerStoreOf } from "./run-context.ts";
import { runSession } from "./session.ts";

/**
 * One partner file from its bytes to its output files: begins its run, goes on with it, or says that
 * it is settled.
 *
 * @throws OnboardError when the run could not even be begun (exit 2, 5), or another living process
 * holds it (exit 6)
 */
export function runFile(deps: RunFileDeps, file: string): Promise<RunEnd> {
  return withChosenFile(deps, file, ({ settings, redis, opening }) =>
    holdRun(
      {
        ...deps,
        form: deps.config.output,
        answers: answerStoreOf(deps),
        redis,
        opening,
        whenHeld: "refuse",
      },
      settings,
      (run) => {
        const openEarlier = (): EarlierAnswers => earlierAnswersFor(deps, settings);
        return runSession({ ...deps, redis, openEarlier }, run);
      },
    ),
  );
}
