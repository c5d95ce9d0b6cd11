/** The methods of the JSON-RPC binding that this program speaks (A2A 1.0 §5.3). */
export type RpcMethod = "SendMessage" | "GetTask" | "CancelTask";

/** The one value of the `A2A-Version` header: without it an agent must assume 0.3 (A2A §3.6.2). */
export const A2A_VERSION = "1.0";

/** JSON-RPC error codes by name (JSON-RPC 2.0 §5.1, A2A §5.4; the -314xx pair is what a2a-go sends). */
export const RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  serverError: -32000,
  taskNotFound: -32001,
  taskNotCancelable: -32002,
  unsupportedOperation: -32004,
  contentTypeNotSupported: -32005,
  invalidAgentResponse: -32006,
  extensionSupportRequired: -32008,
  versionNotSupported: -32009,
  unauthenticated: -31401,
  unauthorized: -31403,
} as const;

/** A message of the user, of which this program sends text alone (A2A §4.1.4). */
export interface UserMessage {
  readonly messageId: string;
  readonly role: "ROLE_USER";
  readonly parts: readonly { readonly text: string }[];
  /** With these it goes on with a task (A2A §3.4.3); never empty. */
  readonly taskId?: string;
  readonly contextId?: string;
}

/** Params of SendMessage (A2A §3.2.1). Nothing else may be sent: strict ProtoJSON readers refuse unknown names. */
export interface SendMessageParams {
  readonly tenant?: string;
  readonly message: UserMessage;
  readonly configuration: {
    readonly acceptedOutputModes?: readonly string[];
    /** Without it the agent answers only when the task has ended (A2A §3.2.2). */
    readonly returnImmediately: true;
  };
}

/** Params of GetTask (A2A §3.1.3). */
export interface GetTaskParams {
  readonly tenant?: string;
  readonly id: string;
  /** 0: the messages so far are of no use here (A2A §3.2.4). */
  readonly historyLength: 0;
}

/** Params of CancelTask (A2A §3.1.5). */
export interface CancelTaskParams {
  readonly tenant?: string;
  readonly id: string;
}
