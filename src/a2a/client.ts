import { randomUUID } from "node:crypto";
import type { CallFailure, SendReply, TaskReply } from "../core/call.ts";
import type { CallContext, HttpReply } from "./classify.ts";
import { classifyReply, protocolFailure } from "./classify.ts";
import { agentHeaders } from "./headers.ts";
import type { JsonObject } from "./json.ts";
import { readSendResult, readTaskResult } from "./reply.ts";
import type { Transport } from "./transport.ts";
import type {
  CancelTaskParams,
  GetTaskParams,
  RpcMethod,
  SendMessageParams,
  UserMessage,
} from "./wire.ts";

export interface AgentClientOptions {
  readonly transport: Transport;
  /** Absolute URL that calls are posted to, exactly as the card or the configuration has it. */
  readonly endpoint: string;
  /** Sent as `X-API-KEY`; none when absent or empty. */
  readonly apiKey?: string | undefined;
  /** Sent with every request when not empty (A2A §8.3.2). */
  readonly tenant?: string | undefined;
  readonly requestTimeoutMs: number;
  readonly maxResponseBytes: number;
  /** Media types; left out of the requests when absent or empty. */
  readonly acceptedOutputModes?: readonly string[] | undefined;
  /** Agents may wait for their own work to end before they answer a CancelTask. Default 10 s. */
  readonly cancelTimeoutMs?: number | undefined;
}

/** A message of the user. With ids it goes on with an existing task (A2A §3.4.3). */
interface OutgoingMessage {
  readonly messageId: string;
  readonly text: string;
  readonly taskId?: string | undefined;
  readonly contextId?: string | undefined;
}

/** The agent, one HTTP exchange a call. Nothing is thrown for what an agent or a network can do. */
export interface AgentClient {
  /** Asks for an immediate return; the answer may be terminal all the same (A2A §3.2.2). */
  sendMessage(message: OutgoingMessage, signal: AbortSignal): Promise<SendReply>;
  getTask(taskId: string, signal: AbortSignal): Promise<TaskReply>;
  cancelTask(taskId: string, signal: AbortSignal): Promise<TaskReply>;
}

const CANCEL_TIMEOUT_MS = 10_000;

interface Call {
  readonly method: RpcMethod;
  readonly params: object;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** An accepted call: its result, and what is needed to say what is wrong with it. */
interface Accepted {
  readonly kind: "result";
  readonly result: JsonObject;
  readonly reply: HttpReply;
}

interface Failed {
  readonly kind: "failure";
  readonly failure: CallFailure;
}

type CallAgent = (call: Call) => Promise<Accepted | Failed>;

/**
 * An A2A 1.0 client over JSON-RPC (A2A §9), for agents that wrap their results and agents that do not.
 * @throws OnboardError (usage) when the key cannot stand in a header.
 */
export function createAgentClient(options: AgentClientOptions): AgentClient {
  const { requestTimeoutMs, cancelTimeoutMs = CANCEL_TIMEOUT_MS } = options;
  const secret = options.apiKey ?? "";
  const tenant = options.tenant ? { tenant: options.tenant } : {};
  const configuration = configurationOf(options.acceptedOutputModes ?? []);
  const call = createCall(options, secret);
  const follow = async (taskId: string, request: Call): Promise<TaskReply> => {
    const answer = await call(request);
    return answer.kind === "result" ? readFollowed(answer, taskId, secret) : answer;
  };
  return {
    async sendMessage(message, signal) {
      const params: SendMessageParams = { ...tenant, message: messageOf(message), configuration };
      const answer = await call({
        method: "SendMessage",
        params,
        timeoutMs: requestTimeoutMs,
        signal,
      });
      return answer.kind === "result" ? readSent(answer, secret) : answer;
    },
    getTask(taskId, signal) {
      const params: GetTaskParams = { ...tenant, id: taskId, historyLength: 0 };
      return follow(taskId, { method: "GetTask", params, timeoutMs: requestTimeoutMs, signal });
    },
    cancelTask(taskId, signal) {
      const params: CancelTaskParams = { ...tenant, id: taskId };
      return follow(taskId, { method: "CancelTask", params, timeoutMs: cancelTimeoutMs, signal });
    },
  };
}

function createCall(options: AgentClientOptions, secret: string): CallAgent {
  const { transport, maxResponseBytes } = options;
  const url = new URL(options.endpoint);
  const headers = { ...agentHeaders(secret), "content-type": "application/json" };
  return async ({ method, params, timeoutMs, signal }) => {
    const rpcId = randomUUID();
    const body = JSON.stringify({ jsonrpc: "2.0", id: rpcId, method, params });
    const reply = await transport.exchange({
      method: "POST",
      url,
      headers,
      body,
      timeoutMs,
      maxResponseBytes,
      signal,
    });
    if (reply.kind === "failure") return reply;
    const context: CallContext = { method, rpcId, secret, nowMs: Date.now() };
    const classified = classifyReply(reply, context);
    return classified.kind === "result" ? { ...classified, reply } : classified;
  };
}

function readSent(answer: Accepted, secret: string): SendReply {
  const sent = readSendResult(answer.result);
  return sent.kind === "unreadable" ? protocol(sent.why, answer, secret) : sent;
}

function readFollowed(answer: Accepted, taskId: string, secret: string): TaskReply {
  const followed = readTaskResult(answer.result);
  if (followed.kind === "unreadable") return protocol(followed.why, answer, secret);
  return followed.task.taskId === taskId
    ? followed
    : protocol("is about another task", answer, secret);
}

function protocol(why: string, answer: Accepted, secret: string): Failed {
  return { kind: "failure", failure: protocolFailure(why, answer.reply, { secret }) };
}

function configurationOf(
  acceptedOutputModes: readonly string[],
): SendMessageParams["configuration"] {
  return acceptedOutputModes.length === 0
    ? { returnImmediately: true }
    : { acceptedOutputModes, returnImmediately: true };
}

function messageOf({ messageId, text, taskId, contextId }: OutgoingMessage): UserMessage {
  return {
    messageId,
    role: "ROLE_USER",
    parts: [{ text }],
    ...(taskId ? { taskId } : {}),
    ...(contextId ? { contextId } : {}),
  };
}
