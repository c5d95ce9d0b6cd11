import type { AgentReason } from "./failure.ts";

/** A file the agent gave with its answer. */
export type OutcomeFile =
  /** Its content, on the way to the run's `files/`. */
  | {
      readonly kind: "raw";
      readonly name: string;
      readonly mediaType: string;
      readonly base64: string;
    }
  /** Stored below the run's folder; `path` is relative to it. */
  | {
      readonly kind: "stored";
      readonly name: string;
      readonly mediaType: string;
      readonly path: string;
    }
  /** Recorded and never fetched. */
  | {
      readonly kind: "url";
      readonly name: string;
      readonly mediaType: string;
      readonly url: string;
    };

interface OutcomeBase {
  /** 1-based data record in the input. */
  readonly row: number;
  /** Empty when no task was ever known. */
  readonly taskId: string;
  readonly contextId: string;
  /** SendMessage calls made for the row. */
  readonly attempts: number;
  /** GetTask calls made for the row. */
  readonly polls: number;
  /** ms since the epoch. */
  readonly submittedAtMs: number;
  readonly finishedAtMs: number;
}

export interface SucceededOutcome extends OutcomeBase {
  readonly kind: "succeeded";
  readonly source: "artifact" | "status" | "message";
  readonly artifactName: string;
  readonly text: string;
  /** The `data` parts in order; empty when there were none. */
  readonly data: readonly unknown[];
  readonly files: readonly OutcomeFile[];
}

export interface FailedOutcome extends OutcomeBase {
  readonly kind: "failed";
  readonly stage: "submit" | "track";
  readonly reason: AgentReason;
  /** JSON-RPC or HTTP code, empty when there was none. */
  readonly code: string;
  readonly message: string;
}

interface NeedsInputOutcome extends OutcomeBase {
  readonly kind: "needs-input";
  readonly question: string;
}

/** How a row ended at the agent: what the journal keeps and the output files are made from. */
export type RowOutcome = SucceededOutcome | FailedOutcome | NeedsInputOutcome;
