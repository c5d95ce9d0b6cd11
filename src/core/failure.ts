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

const FIX_AND_RUN = "and run failures.csv as a file of its own; only its rows are sent";
const ASK_AGENT = "ask whoever runs the agent, naming the task's id";

const NEXT_STEPS: Readonly<Record<FailureReason, string>> = {
  ROW_TOO_WIDE: `Put quotes around the cell that holds the delimiter, ${FIX_AND_RUN}.`,
  ROW_TOO_NARROW: `Fill in the cells that are missing at the end of the row, ${FIX_AND_RUN}.`,
  ROW_UNREADABLE: `Mend the row, usually a quote that is not closed, ${FIX_AND_RUN}.`,
  CELL_TOO_LONG: `Shorten the cell, or look for a quote that is not closed, ${FIX_AND_RUN}.`,
  NAME_MISSING: `Fill in the name, ${FIX_AND_RUN}. If all rows are here, name its column with --map name=Header.`,
  AGENT_REFUSED:
    "The agent takes no such message, and would not next time either. Read its words; mend the row or message.template.",
  AGENT_UNAVAILABLE:
    "The agent was not reached, or broke off, in every try. Retry the run when it is well again.",
  PROTOCOL_ERROR: `The agent's answers could not be read. Retry the run; if it stays, ${ASK_AGENT}.`,
  RESULT_TOO_LARGE:
    "The answer is larger than a row may have. Ask for less in message.template; for a large HTTP answer raise agent.maxResponseBytes.",
  TASK_FAILED: `Retry the run; if it stays, ${ASK_AGENT}.`,
  TASK_REJECTED: "The agent does not want this task. Read its words and mend the row.",
  TASK_CANCELED: "Somebody canceled the task. Retry the run if the rows are still wanted.",
  TASK_LOST: `The agent forgot the task twice. Retry the run; if it stays, ${ASK_AGENT}.`,
  TASK_TIMEOUT:
    "Retry the run when the agent is less busy, or run failures.csv with a larger --task-timeout.",
  AUTH_REQUIRED: `The agent waits for a permission that this program cannot give: ${ASK_AGENT}, then retry the run.`,
  UNKNOWN_STATE: `The task is in a state that this version does not know: ${ASK_AGENT}, or update this program and retry the run.`,
};

/** What a person does about failures of a reason, in one or two sentences; undefined for one of another version. */
export function nextStepFor(reason: string): string | undefined {
  return Object.entries(NEXT_STEPS).find(([known]) => known === reason)?.[1];
}

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
