import { createHash } from "node:crypto";

/** Sorted set of all runs: id by start time in ms; public. */
export const RUNS_KEY = "onboard-batch:runs";

/** Prefix of everything of one run; its braces put it all into one Cluster slot. */
export function runPrefix(runId: string): string {
  return `onboard-batch:{${runId}}`;
}

/** Every key of one run but those of its queues. */
export interface RunKeys {
  /** HASH, public: counters and status. */
  readonly progress: string;
  /** HASH, public: failure reason -> count. */
  readonly failures: string;
  /** STRING: RunSettings as JSON. */
  readonly settings: string;
  /** HASH: row -> `s` send intent, `t`+JSON open task, `d` done. */
  readonly ledger: string;
  /** STREAM: outcomes that no journal has yet; field `o` is the outcome's JSON. */
  readonly results: string;
  /** HASH: backlogBytes, accepted, refused, output, input, seen:<process>, acceptedAt, refusedAt. */
  readonly private: string;
  /** SET: rows that hold one of `--max-open-tasks` places. */
  readonly places: string;
  /** STRING: who collects the run. */
  readonly lease: string;
}

export function runKeys(runId: string): RunKeys {
  const prefix = runPrefix(runId);
  return {
    progress: `${prefix}:progress`,
    failures: `${prefix}:failures`,
    settings: `${prefix}:settings`,
    ledger: `${prefix}:ledger`,
    results: `${prefix}:results`,
    private: `${prefix}:private`,
    places: `${prefix}:places`,
    lease: `${prefix}:lease`,
  };
}

/**
 * HASH: the gate and breaker of one agent, shared by every run and process that calls it with the
 * same key. The key itself stays out of Redis, its hash stands for it.
 */
export function gateKey(agentOrigin: string, apiKey: string | undefined): string {
  const hash = createHash("sha256")
    .update(`${agentOrigin}\n${apiKey ?? ""}`)
    .digest("hex")
    .slice(0, 16);
  return `onboard-batch:{gate-${hash}}:gate`;
}
