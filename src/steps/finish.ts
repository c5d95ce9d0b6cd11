import type { CallFailure } from "../core/call.ts";
import type { TrackJob } from "../core/job.ts";
import type { RowOutcome } from "../core/outcome.ts";
import type { RowFacts } from "../core/task-outcome.ts";
import type { CallReport, ReportResult } from "../redis/gate.ts";
import type { Reception } from "../redis/ledger.ts";
import type { StepDeps } from "./step-deps.ts";

/** So many rows refused at the start, and none accepted, mean that every row would be refused. */
const REFUSED_ROWS_TO_STOP = 20;

/** Records how a row ended; stops the run when the agent has refused everything so far. */
export async function finishRow(
  deps: StepDeps,
  outcome: RowOutcome,
  how: { readonly weight: number; readonly reception: Reception },
): Promise<{ readonly kind: "done" }> {
  const { weight, reception } = how;
  const refused = await deps.storeAnswer({ kind: "outcome", outcome, weight }, () =>
    deps.ledger.recordOutcome(outcome, weight, reception),
  );
  deps.rowLog.ended(outcome);
  deps.sendHold.noteRoom();
  if (refused >= REFUSED_ROWS_TO_STOP) await deps.record.stop("refused");
  return { kind: "done" };
}

/**
 * What a failed call tells gate and breaker. An agent that says no is there; one that answers
 * nonsense or nothing is not.
 */
function reportOf(failure: CallFailure, rowKey: string): CallReport | undefined {
  if (failure.kind === "throttled") {
    return { kind: "throttled", retryAfterMs: failure.retryAfterMs };
  }
  const kind = REPORTED_AS[failure.kind];
  if (kind === "nothing") return undefined;
  return kind === "good" ? { kind } : { kind, rowKey };
}

const REPORTED_AS = {
  "not-written": "unwritten",
  "timed-out": "failed",
  unavailable: "failed",
  protocol: "failed",
  refused: "good",
  "task-not-found": "good",
  "not-cancelable": "good",
  "too-large": "good",
  credentials: "nothing",
  "wrong-agent": "nothing",
  aborted: "nothing",
} as const satisfies Record<Exclude<CallFailure["kind"], "throttled">, string>;

const AGENT_THERE: ReportResult = {
  away: false,
  streak: "",
  awayAgoMs: Number.POSITIVE_INFINITY,
};

/** Tells the gate how a call failed and counts what the contract counts. */
export async function reportFailure(
  deps: StepDeps,
  failure: CallFailure,
  row: number,
): Promise<ReportResult> {
  deps.rowLog.callFailed(row, failure);
  if (failure.kind === "throttled") await deps.record.countCall("rateLimited");
  const report = reportOf(failure, `${deps.settings.runId}/${row}`);
  return report === undefined ? AGENT_THERE : deps.gate.report(report);
}

/** What the outcome of a followed task tells of the row apart from the answer. */
export function factsOf(job: TrackJob, finishedAtMs: number): RowFacts {
  const { row, attempts, polls, submittedAtMs } = job;
  return { row, attempts, polls, submittedAtMs, finishedAtMs };
}
