/** Why a row could not even be sent. */
const READ_REASONS = [
  "ROW_TOO_WIDE",
  "ROW_TOO_NARROW",
  "ROW_UNREADABLE",
  "CELL_TOO_LONG",
  "NAME_MISSING",
] as const;

/** Why the agent gave a row no result. */
const AGENT_REASONS = [
  "AGENT_REFUSED",
  "AGENT_UNAVAILABLE",
  "PROTOCOL_ERROR",
  "RESULT_TOO_LARGE",
  "TASK_FAILED",
  "TASK_REJECTED",
  "TASK_CANCELED",
  "TASK_LOST",
  "TASK_TIMEOUT",
  "AUTH_REQUIRED",
  "UNKNOWN_STATE",
] as const;

type ReadReason = (typeof READ_REASONS)[number];
export type AgentReason = (typeof AGENT_REASONS)[number];
export type FailureReason = ReadReason | AgentReason;

const RETRYABLE: ReadonlySet<FailureReason> = new Set([
  "AGENT_UNAVAILABLE",
  "PROTOCOL_ERROR",
  "TASK_FAILED",
  "TASK_CANCELED",
  "TASK_LOST",
  "TASK_TIMEOUT",
  "AUTH_REQUIRED",
  "UNKNOWN_STATE",
]);

/** Whether sending the same row again could end differently. */
export function isRetryable(reason: FailureReason): boolean {
  return RETRYABLE.has(reason);
}

/** The same for a reason that comes as a text. */
export function isRetryableReason(reason: string): boolean {
  return [...RETRYABLE].some((known) => known === reason);
}

/** Why a record of the file was not sent, in words for the person who keeps the file. */
export interface ReadFailure {
  readonly reason: ReadReason;
  readonly message: string;
}
