import type { AgentClient } from "../a2a/client.ts";
import type { SubmitJob, TrackJob } from "../core/job.ts";
import type { RowOutcome } from "../core/outcome.ts";
import type { PollSchedule } from "../core/poll-schedule.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { FatalStop } from "../core/stop.ts";
import type { CallGate } from "../redis/gate.ts";
import type { Ledger, TaskEntry } from "../redis/ledger.ts";
import type { RunRecord } from "../redis/run-record.ts";
import type { RowLog } from "./row-log.ts";
import type { SendHold } from "./send-hold.ts";

/** An answer that was paid for. */
export type PaidAnswer =
  | { readonly kind: "task"; readonly entry: TaskEntry }
  | { readonly kind: "outcome"; readonly outcome: RowOutcome; readonly weight: number };

/** Puts an answer into Redis, and on this host's disk while Redis is away; resolves when Redis has it. */
export type StoreAnswer = <T>(answer: PaidAnswer, store: () => Promise<T>) => Promise<T>;

/** What the steps of one run work with. */
export interface StepDeps {
  readonly settings: RunSettings;
  readonly client: AgentClient;
  readonly gate: CallGate;
  readonly ledger: Ledger;
  readonly record: RunRecord;
  readonly storeAnswer: StoreAnswer;
  readonly rowLog: RowLog;
  readonly addSubmit: (job: SubmitJob) => Promise<void>;
  readonly addTrack: (job: TrackJob, delayMs: number) => Promise<void>;
  readonly schedule: PollSchedule;
  readonly sendHold: SendHold;
  /** Whether an operator wants the open tasks to end. */
  readonly isCanceling: () => boolean;
  /** Ends calls on the wire: only when the process must stop at once. */
  readonly callSignal: AbortSignal;
  readonly onStop: (stop: FatalStop) => void;
  readonly now: () => number;
  readonly random: () => number;
}
