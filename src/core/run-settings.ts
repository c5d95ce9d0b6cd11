import type { FailureLimit } from "./failure-limit.ts";
import type { ReadOptions } from "./input.ts";

/**
 * Everything about a run that is fixed when it begins and stored with it, so that any process on
 * any host works on it alike. Secrets, Redis and concurrency are each process's own.
 */
export interface RunSettings {
  readonly schemaVersion: 1;
  readonly runId: string;
  /** Part of each messageId; ms since the epoch. */
  readonly startedAtMs: number;
  /** Base name of the input, for people. */
  readonly file: string;
  readonly sha256: string;
  /** Hash of all that changes answers, the file's bytes included. */
  readonly identity: string;
  readonly agentUrl: string;
  readonly template: string;
  readonly reading: ReadOptions;
  readonly dedupe: boolean;
  /** Only the first so many rows; absent for all. */
  readonly rowLimit?: number;
  readonly maxFailures?: FailureLimit;
  /** From the start to the last send. */
  readonly maxDurationMs?: number;
  readonly sendPerSecond: number;
  readonly pollPerSecond: number;
  readonly totalPerSecond?: number;
  readonly maxOpenTasks?: number;
  readonly attempts: number;
  readonly requestTimeoutMs: number;
  readonly taskTimeoutMs: number;
  readonly giveUpAfterMs: number;
  readonly maxResponseBytes: number;
  readonly acceptedOutputModes: readonly string[];
  readonly backlogBytes: number;
  readonly retentionMs: number;
}
