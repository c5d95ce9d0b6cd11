import type { CallFailure } from "../core/call.ts";
import type { Log } from "../core/log.ts";
import type { RowOutcome } from "../core/outcome.ts";
import { contentOf } from "../core/outcome-content.ts";

/** What happens to single rows, for whoever looks for the way of one of them. */
export interface RowLog {
  ended(outcome: RowOutcome): void;
  callFailed(row: number, failure: CallFailure): void;
}

/**
 * @param runId of the rows
 * @param withData also the agent's words, which may hold partner data (`--log-data`)
 */
export function createRowLog(log: Log, runId: string, withData: boolean): RowLog {
  const words = (message: string): { readonly message?: string } =>
    withData && message !== "" ? { message } : {};
  return {
    ended(outcome) {
      const { row, kind, attempts, polls, taskId } = outcome;
      const facts = { runId, row, outcome: kind, attempts, polls, taskId };
      switch (outcome.kind) {
        case "succeeded":
          log.info("row.ended", { ...facts, ...words(contentOf(outcome).text) });
          return;
        case "failed": {
          const { stage, reason, code } = outcome;
          log.info("row.ended", { ...facts, stage, reason, code, ...words(outcome.message) });
          return;
        }
        case "needs-input":
          log.info("row.ended", { ...facts, ...words(outcome.question) });
      }
    },
    callFailed(row, { kind, code, message }) {
      log.info("call.failed", { runId, row, failure: kind, code, ...words(message) });
    },
  };
}
