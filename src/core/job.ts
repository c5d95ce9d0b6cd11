/** A try that counts against `--attempts`. */
export interface SpentAttempt {
  /** The streak of failures it belonged to; should that turn out to be an outage, the try is given back. */
  readonly streak: string;
  readonly timedOut: boolean;
}

/** A row to be sent: its message and nothing else of the file. */
export interface SubmitJob {
  readonly row: number;
  /** Rows that its answer answers: the row itself and its duplicates. */
  readonly weight: number;
  readonly text: string;
  /** The waiting task that the text answers; absent for a row's own message. */
  readonly answers?: { readonly taskId: string; readonly contextId: string };
  readonly tryGroup: number;
  /** SendMessage calls made so far. */
  readonly sends: number;
  readonly spent: readonly SpentAttempt[];
}

/** A task to be followed. */
export interface TrackJob {
  readonly row: number;
  readonly weight: number;
  /** The row's message: should the agent lose the task, it is sent anew from here. */
  readonly text: string;
  readonly taskId: string;
  readonly contextId: string;
  /** SendMessage calls made for the row. */
  readonly attempts: number;
  readonly submittedAtMs: number;
  readonly tryGroup: number;
  /** GetTask calls made so far. */
  readonly polls: number;
  /** Time that counts against `--task-timeout`, ms. */
  readonly ageMs: number;
  readonly askedAtMs: number;
  readonly plannedDelayMs: number;
  /** Age when the task was last seen unfinished, ms. */
  readonly unfinishedAtMs: number;
  /** CancelTask calls made because an operator cancels the run. */
  readonly cancels: number;
  /** GetTask calls in a row without an answer about the task. */
  readonly failedPolls: number;
  /** When the agent first said that it does not know the task; 0 while it does. */
  readonly lostSinceMs: number;
}

/** A job in a step's hands, without anything of the queue's. */
export interface StepJob<Data> {
  readonly data: Data;
  /** Key and value of the lock that proves this process owns the job. */
  readonly lockKey: string;
  readonly token: string;
}

/** What a step asks the queue to do with its job. */
export type StepOutcome<Data> =
  | { readonly kind: "done" }
  /** The same job again later, with these data; costs no attempt. */
  | { readonly kind: "again"; readonly data: Data; readonly delayMs: number }
  /** Somebody else has the job by now: leave it alone. */
  | { readonly kind: "abandoned" };

/** One activation of a job. The signal ends its waits, never a call that is on the wire. */
export type Step<Data> = (job: StepJob<Data>, signal: AbortSignal) => Promise<StepOutcome<Data>>;
