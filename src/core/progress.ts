const RUN_STATUSES = [
  "ingesting",
  "running",
  "paused",
  "stopping",
  "completed",
  "canceled",
  "stopped",
] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

const STATUS_REASONS = [
  "",
  "credentials",
  "agent-down",
  "operator",
  "max-failures",
  "max-duration",
  "refused",
] as const;
export type StatusReason = (typeof STATUS_REASONS)[number];

interface Counts {
  readonly total: number;
  /** Rows without a task id. */
  readonly pending: number;
  /** Rows with a task id and no outcome. */
  readonly open: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly needsInput: number;
  readonly unprocessed: number;
  /** Of the succeeded rows those with an answer of an earlier run. */
  readonly reused: number;
  readonly sendMessageCalls: number;
  readonly getTaskCalls: number;
  readonly cancelTaskCalls: number;
  /** Sends beyond a row's first. */
  readonly retries: number;
  /** Answers 429, and 503 with Retry-After. */
  readonly rateLimited: number;
}

/** Undefined for a text that is no status. */
export function parseStatus(text: string): RunStatus | undefined {
  return RUN_STATUSES.find((known) => known === text);
}

/** One reading of a run's progress hash. Times are ISO 8601 UTC, empty when not yet. */
export interface Progress extends Counts {
  readonly schemaVersion: number;
  readonly status: RunStatus;
  readonly statusReason: StatusReason;
  readonly file: string;
  readonly startedAt: string;
  readonly updatedAt: string;
  readonly finishedAt: string;
  readonly heartbeatAt: string;
}

/** Reads a progress hash; undefined when the hash is empty or of another version of this program. */
export function parseProgress(hash: Readonly<Record<string, string>>): Progress | undefined {
  const status = parseStatus(hash["status"] ?? "");
  if (hash["schemaVersion"] !== "1" || status === undefined) return undefined;
  const count = (field: keyof Counts): number => Number(hash[field] ?? 0);
  return {
    total: count("total"),
    pending: count("pending"),
    open: count("open"),
    succeeded: count("succeeded"),
    failed: count("failed"),
    needsInput: count("needsInput"),
    unprocessed: count("unprocessed"),
    reused: count("reused"),
    sendMessageCalls: count("sendMessageCalls"),
    getTaskCalls: count("getTaskCalls"),
    cancelTaskCalls: count("cancelTaskCalls"),
    retries: count("retries"),
    rateLimited: count("rateLimited"),
    schemaVersion: 1,
    status,
    statusReason: STATUS_REASONS.find((known) => known === hash["statusReason"]) ?? "",
    file: hash["file"] ?? "",
    startedAt: hash["startedAt"] ?? "",
    updatedAt: hash["updatedAt"] ?? "",
    finishedAt: hash["finishedAt"] ?? "",
    heartbeatAt: hash["heartbeatAt"] ?? "",
  };
}

/** Whether nothing more will happen to the run unless it is reopened. */
export function isSettled(status: RunStatus): boolean {
  return status === "completed" || status === "canceled" || status === "stopped";
}
