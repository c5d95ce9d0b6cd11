import { computeBackOffMs } from "./back-off.ts";
import type { CallFailure } from "./call.ts";
import type { AgentReason } from "./failure.ts";
import type { FatalStop } from "./stop.ts";
import { fatalStopOf, isFatal } from "./stop.ts";

/** What has already been tried for a row. */
export interface SendHistory {
  /** Tries that count against `--attempts`, this one not included. */
  readonly spentAttempts: number;
  readonly maxAttempts: number;
  /** Sends of the row that were written and never answered, this one not included. */
  readonly timedOutSends: number;
  readonly random: number;
}

/** What follows a SendMessage that gave neither task nor message. */
export type SendDecision =
  | { readonly kind: "fail"; readonly reason: AgentReason }
  /** Send again later; `spends` tells whether this try counts against `--attempts`. */
  | { readonly kind: "again"; readonly delayMs: number; readonly spends: boolean }
  | { readonly kind: "stop"; readonly stop: FatalStop };

/** An answer that never comes is waited for once more, since a blocking agent must not be paid for each try. */
const MAX_TIMED_OUT_SENDS = 2;

/** Decides what follows a failed SendMessage (A2A §3.3.1: its outcome may be unknown). */
export function decideAfterFailedSend(failure: CallFailure, history: SendHistory): SendDecision {
  if (isFatal(failure)) return { kind: "stop", stop: fatalStopOf(failure) };
  const delayMs = computeBackOffMs(history.spentAttempts + 1, history.random);
  switch (failure.kind) {
    case "not-written":
      return { kind: "again", delayMs, spends: false };
    case "throttled":
    case "aborted":
      // The gate, not the row, keeps the distance to a throttling agent.
      return { kind: "again", delayMs: 0, spends: false };
    case "timed-out":
      return history.timedOutSends + 1 >= MAX_TIMED_OUT_SENDS
        ? { kind: "fail", reason: "AGENT_UNAVAILABLE" }
        : spend(history, delayMs, "AGENT_UNAVAILABLE");
    case "unavailable":
      return spend(history, delayMs, "AGENT_UNAVAILABLE");
    case "protocol":
      return spend(history, delayMs, "PROTOCOL_ERROR");
    case "too-large":
      return { kind: "fail", reason: "RESULT_TOO_LARGE" };
    case "refused":
    case "task-not-found":
    case "not-cancelable":
      return { kind: "fail", reason: "AGENT_REFUSED" };
  }
}

function spend(history: SendHistory, delayMs: number, reason: AgentReason): SendDecision {
  if (history.spentAttempts + 1 >= history.maxAttempts) return { kind: "fail", reason };
  return { kind: "again", delayMs, spends: true };
}
