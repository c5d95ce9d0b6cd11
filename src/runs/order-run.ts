import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { RunStatus } from "../core/progress.ts";
import type { RedisClient } from "../redis/connect.ts";
import { RunRecord } from "../redis/run-record.ts";

/** What an operator can tell a run, from any host. */
export type RunOrder = "pause" | "resume" | "cancel";

/** The statuses in which an order changes something, and those in which it is carried out already. */
const ORDERS = {
  pause: { changes: ["ingesting", "running"], holds: ["paused"] },
  resume: { changes: ["paused"], holds: ["ingesting", "running"] },
  cancel: { changes: ["ingesting", "running", "paused", "stopping"], holds: ["canceled"] },
} as const satisfies Record<
  RunOrder,
  { readonly changes: readonly RunStatus[]; readonly holds: readonly RunStatus[] }
>;

/**
 * Gives a run an order; every process that works on it follows within a second.
 *
 * @returns whether something has changed; false when it was so before
 * @throws OnboardError exit 2 when the run is in no state for it, or Redis does not know it
 */
export async function orderRun(
  redis: RedisClient | undefined,
  runId: string,
  order: RunOrder,
): Promise<boolean> {
  const before = redis === undefined ? undefined : await give(redis, runId, order);
  if (before === undefined) {
    throw new OnboardError(EXIT.usage, `Redis does not know run ${runId}: nobody works on it`, {
      hint: "check --redis; a run that only its folder knows goes on with the same command that began it",
    });
  }
  return wouldChange(runId, before, order);
}

/**
 * Whether an order changes something about a run in this status; false when it is so already.
 *
 * @throws OnboardError exit 2 when it makes no sense
 */
export function wouldChange(runId: string, status: RunStatus, order: RunOrder): boolean {
  const { changes, holds } = ORDERS[order];
  if (isOneOf(changes, status)) return true;
  if (isOneOf(holds, status)) return false;
  throw new OnboardError(EXIT.usage, `run ${runId} is ${status}: there is nothing to ${order}`, {
    hint: `onboard-batch status ${runId} tells how it stands`,
  });
}

function give(redis: RedisClient, runId: string, order: RunOrder): Promise<RunStatus | undefined> {
  const record = new RunRecord(redis, runId);
  return order === "cancel" ? record.stop("operator") : record.setPaused(order);
}

function isOneOf(statuses: readonly RunStatus[], status: RunStatus): boolean {
  return statuses.includes(status);
}
