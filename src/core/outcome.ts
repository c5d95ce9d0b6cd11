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

/** One part of an answer. */
export type OutcomePart =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "data"; readonly data: unknown }
  | OutcomeFile;

export interface OutcomeArtifact {
  /** Empty when the agent gave none. */
  readonly name: string;
  readonly parts: readonly OutcomePart[];
}

export interface SucceededOutcome extends OutcomeBase {
  readonly kind: "succeeded";
  /** Where the result was found. */
  readonly source: "artifact" | "status" | "message";
  /** As the agent gave them, in its order. */
  readonly artifacts: readonly OutcomeArtifact[];
  /** Parts of the status message, or of the message that came instead of a task. */
  readonly message: readonly OutcomePart[];
  /** The earlier run whose answer it is; absent when this run was given it. */
  readonly reusedFrom?: string;
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
