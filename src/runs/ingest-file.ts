import { EXIT } from "../core/exit-code.ts";
import { createRunQueues } from "../queue/run-queues.ts";
import { runPrefix } from "../redis/keys.ts";
import { whileBeating } from "./beat.ts";
import { withChosenFile } from "./choose-file.ts";
import { earlierAnswersFor, NO_EARLIER_ANSWERS } from "./earlier-answers.ts";
import { feedRows } from "./feed-rows.ts";
import { beginRun } from "./open-run.ts";
import type { RunEnd, RunFileDeps } from "./run-context.ts";
import { exitCodeOfSignal } from "./session.ts";

/**
 * Reads, checks and enqueues one partner file, for workers and a collector elsewhere. The same
 * command again goes on where it ended.
 *
 * @throws OnboardError as runFile
 */
export function ingestFile(deps: RunFileDeps, file: string): Promise<RunEnd> {
  return withChosenFile(deps, file, async ({ settings, redis, opening }) => {
    const { runId } = settings;
    const queues = createRunQueues(redis.client, runPrefix(runId));
    const { stopSignal } = deps;
    try {
      const run = await beginRun(opening, settings);
      const end = { runId, folder: run.folder, summary: undefined, wasSettled: false };
      try {
        const earlier = run.isReopened ? NO_EARLIER_ANSWERS : earlierAnswersFor(deps, settings);
        const windowRows = Number.POSITIVE_INFINITY;
        const onBacklog = tellOnce(() =>
          deps.warn(`answers of earlier runs wait to be collected: onboard-batch collect ${runId}`),
        );
        const feeding = { ...run, queues, windowRows, earlier, onBacklog };
        await whileBeating(run.record, () => feedRows(feeding, stopSignal));
        return { ...end, exitCode: EXIT.ok, error: undefined };
      } catch (error) {
        if (!stopSignal.aborted) throw error;
        return { ...end, exitCode: exitCodeOfSignal(stopSignal), error: undefined };
      }
    } finally {
      if (!redis.isAway()) await queues.close();
    }
  });
}

function tellOnce(tell: () => void): () => void {
  let isTold = false;
  return () => {
    if (!isTold) tell();
    isTold = true;
  };
}
