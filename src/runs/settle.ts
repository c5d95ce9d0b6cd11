import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { isSettled } from "../core/progress.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import type { RunRecord } from "../redis/run-record.ts";

interface SettleDeps {
  readonly record: RunRecord;
  readonly queues: Pick<RunQueues, "countActiveSubmits">;
}

/** Whether the run has settled by now; settles it when nothing is left to do. */
export async function settleWhenDone({ record, queues }: SettleDeps): Promise<boolean> {
  const progress = await record.progress();
  if (progress === undefined) {
    throw new OnboardError(EXIT.unavailable, "Redis has forgotten the run while it went on", {
      hint: "run the same command again: it goes on from the journal",
    });
  }
  const { status, open, pending } = progress;
  if (isSettled(status)) return true;
  if (open > 0 || (pending > 0 && status !== "stopping")) return false;
  const noSendInFlight = status !== "stopping" || (await queues.countActiveSubmits()) === 0;
  const ended = await record.settle(noSendInFlight);
  return ended !== undefined && isSettled(ended);
}
