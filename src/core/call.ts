/**
 * What one call to the agent came to, free of HTTP and JSON-RPC. Made by a2a/, judged by core/policy.
 */

/** A2A 1.0 task states without their prefix (A2A §4.1.3). */
export const TASK_STATES = [
  "SUBMITTED",
  "WORKING",
  "COMPLETED",
  "FAILED",
  "CANCELED",
  "INPUT_REQUIRED",
  "REJECTED",
  "AUTH_REQUIRED",
] as const;

export type KnownTaskState = (typeof TASK_STATES)[number];

/** A state this program knows, or the raw value it does not (never taken for an end). */
export type TaskState =
  | { readonly kind: "known"; readonly state: KnownTaskState }
  | { readonly kind: "unknown"; readonly raw: string };

/** One part of a message or artifact; parts with none or several contents arrive as `data` of the whole part. */
export type PartContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "data"; readonly data: unknown }
  | {
      readonly kind: "url";
      readonly url: string;
      readonly name: string;
      readonly mediaType: string;
    }
  | {
      readonly kind: "raw";
      readonly base64: string;
      readonly name: string;
      readonly mediaType: string;
    };

export interface ArtifactContent {
  /** Empty when the agent gave none. */
  readonly name: string;
  readonly parts: readonly PartContent[];
}

export interface TaskSnapshot {
  readonly taskId: string;
  /** Empty when the agent gave none. */
  readonly contextId: string;
  readonly state: TaskState;
  /** Parts of `status.message`, empty when absent. */
  readonly statusParts: readonly PartContent[];
  /** Server time of the status, ms since the epoch; only ever compared with other server times. */
  readonly statusAtMs: number | undefined;
  readonly artifacts: readonly ArtifactContent[];
}

/** The answer of an agent that needs no task (A2A §3.1.1). */
export interface MessageReply {
  readonly contextId: string;
  readonly parts: readonly PartContent[];
}

/** Why a call gave neither task nor message. `code` is the JSON-RPC or HTTP code as text, empty when there was none. */
export type CallFailure =
  /**
   * The request never left, so nothing can have been paid. `refused` is every way of not getting a connection that is
   * not the name's (`dns`), the certificate's (`tls`) or the proxy's fault.
   */
  | {
      readonly kind: "not-written";
      readonly cause: "refused" | "dns" | "tls" | "proxy";
      readonly code: string;
      readonly message: string;
    }
  /** No answer within the request time-out after the request was written. */
  | { readonly kind: "timed-out"; readonly code: string; readonly message: string }
  /** Reset, 408, 425, 5xx, -32603, -32000, -32006: the outcome of a send is unknown. */
  | { readonly kind: "unavailable"; readonly code: string; readonly message: string }
  /** An answer that cannot be read or belongs to another request: the outcome of a send is unknown. */
  | { readonly kind: "protocol"; readonly code: string; readonly message: string }
  /** 429, 503 with Retry-After, RetryInfo. `retryAfterMs` (at most 1 h) undefined when the agent named no time. */
  | {
      readonly kind: "throttled";
      readonly code: string;
      readonly message: string;
      readonly retryAfterMs: number | undefined;
    }
  /** The agent will not take this request: -32602, -32600, -32700, 400, 413, … and every code not listed elsewhere. */
  | { readonly kind: "refused"; readonly code: string; readonly message: string }
  /** -32001 to GetTask or CancelTask. */
  | { readonly kind: "task-not-found"; readonly code: string; readonly message: string }
  /** CancelTask alone: the task has ended, or the agent does not offer cancelling. */
  | { readonly kind: "not-cancelable"; readonly code: string; readonly message: string }
  | { readonly kind: "credentials"; readonly code: string; readonly message: string }
  /** Not the agent that was configured: -32601, -32009, -32008, 3xx, and 404 or 405 to a send. */
  | { readonly kind: "wrong-agent"; readonly code: string; readonly message: string }
  /** The body passed `agent.maxResponseBytes`. */
  | { readonly kind: "too-large"; readonly code: string; readonly message: string }
  /**
   * Our own signal, or the end of the program, ended the call. It costs no attempt; the message says whether the
   * request had been written, in which case the same messageId sent again is recognisable.
   */
  | { readonly kind: "aborted"; readonly code: string; readonly message: string };

export type SendReply =
  | { readonly kind: "task"; readonly task: TaskSnapshot }
  | { readonly kind: "message"; readonly message: MessageReply }
  | { readonly kind: "failure"; readonly failure: CallFailure };

export type TaskReply =
  | { readonly kind: "task"; readonly task: TaskSnapshot }
  | { readonly kind: "failure"; readonly failure: CallFailure };
