import type { CallFailure } from "../core/call.ts";
import { parseHttpDate, parseRetryAfter, parseRetryDelay } from "../core/retry-after.ts";
import { agentText, quoteBody } from "./agent-text.ts";
import type { JsonObject } from "./json.ts";
import { isJsonObject } from "./json.ts";
import type { RpcError } from "./reply.ts";
import { readEnvelope } from "./reply.ts";
import type { RpcMethod } from "./wire.ts";
import { RPC_CODE } from "./wire.ts";

/** Header names in lower case. */
export type HttpHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A whole HTTP answer. */
export interface HttpReply {
  readonly kind: "reply";
  readonly status: number;
  readonly headers: HttpHeaders;
  readonly body: string;
}

/** Which call an answer belongs to. */
export interface CallContext {
  readonly method: RpcMethod;
  readonly rpcId: string;
  /** The API key, which no message may repeat; empty when there is none. */
  readonly secret: string;
  readonly nowMs: number;
}

/** The result of a call that the agent accepted, or what went wrong with it. */
export type Classified =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "failure"; readonly failure: CallFailure };

/**
 * Judges an HTTP answer to a JSON-RPC call (A2A §5.4, §9.5, §3.3.2). A JSON-RPC error goes before the HTTP status,
 * except for what gateways say with the status alone: redirects, refused credentials, 429, and 503 with Retry-After.
 */
export function classifyReply(reply: HttpReply, context: CallContext): Classified {
  const gateway = classifyGateway(reply, context);
  if (gateway !== undefined) return { kind: "failure", failure: gateway };
  const envelope = readEnvelope(reply.body, context.rpcId);
  if (envelope.kind === "error") return fail(classifyRpcError(envelope.error, reply, context));
  if (!isSuccess(reply.status)) return fail(classifyStatus(reply, context));
  if (envelope.kind === "unreadable") return fail(protocolFailure(envelope.why, reply, context));
  return envelope;
}

/** An answer that cannot be read or belongs to another request. `why` completes "the answer …". */
export function protocolFailure(
  why: string,
  reply: HttpReply,
  context: Pick<CallContext, "secret">,
): CallFailure {
  return {
    kind: "protocol",
    code: "",
    message: `the answer (HTTP ${reply.status}) ${why}: ${describeBody(reply, context.secret)}`,
  };
}

/** What the status alone decides, whatever the body says; else undefined. */
function classifyGateway(reply: HttpReply, context: CallContext): CallFailure | undefined {
  const { status } = reply;
  if (status >= 300 && status < 400) return redirectFailure(reply);
  if (status === 401 || status === 402 || status === 403) return credentialsFailure(status);
  const hint = headerOf(reply.headers, "retry-after");
  if (status !== 429 && !(status === 503 && hint !== "")) return undefined;
  const retryAfterMs = retryAfterOf(reply, context.nowMs) ?? retryDelayIn(reply, context);
  return { ...describeStatus(reply, context.secret), kind: "throttled", retryAfterMs };
}

/** Redirects are never followed: the next address is not the one that was configured. */
function redirectFailure(reply: HttpReply): CallFailure {
  const target = agentText(headerOf(reply.headers, "location"), "").slice(0, 200);
  const where = target === "" ? "" : ` to ${target}`;
  return {
    kind: "wrong-agent",
    code: String(reply.status),
    message: `the agent URL redirects${where} (HTTP ${reply.status}); redirects are not followed`,
  };
}

/** The body is not quoted: it may repeat the key. */
function credentialsFailure(status: number): CallFailure {
  return {
    kind: "credentials",
    code: String(status),
    message: `HTTP ${status}`,
  };
}

function classifyStatus(reply: HttpReply, context: CallContext): CallFailure {
  const { status } = reply;
  const seen = describeStatus(reply, context.secret);
  if (status === 407) return { ...seen, kind: "not-written", cause: "proxy" };
  if (status === 408 || status === 425 || status >= 500) return { ...seen, kind: "unavailable" };
  if (status === 404 || status === 405) {
    // A send tells where the agent is not. Once a task is known, the address was right.
    const isSend = context.method === "SendMessage";
    return isSend ? { ...seen, kind: "wrong-agent" } : { ...seen, kind: "unavailable" };
  }
  return { ...seen, kind: "refused" };
}

function classifyRpcError(error: RpcError, reply: HttpReply, context: CallContext): CallFailure {
  const text = agentText(error.message, context.secret);
  const said = {
    code: String(error.code),
    message: text === "" ? `the agent answered error ${error.code} without a text` : text,
  };
  const kind = kindOfCode(error.code, context.method);
  if (kind !== "unavailable" && kind !== "other") return { kind, ...said };
  const hint = headerOf(reply.headers, "retry-after");
  const retryAfterMs = retryDelayOf(error.data) ?? retryAfterOf(reply, context.nowMs);
  if (retryAfterMs !== undefined || hint !== "")
    return { kind: "throttled", ...said, retryAfterMs };
  return { kind: kind === "other" ? "refused" : kind, ...said };
}

type RpcKind =
  | "unavailable"
  | "refused"
  | "credentials"
  | "wrong-agent"
  | "task-not-found"
  | "not-cancelable"
  | "other";

const RPC_KINDS: ReadonlyMap<number, RpcKind> = new Map([
  [RPC_CODE.internalError, "unavailable"],
  [RPC_CODE.serverError, "unavailable"],
  [RPC_CODE.invalidAgentResponse, "unavailable"],
  [RPC_CODE.unauthenticated, "credentials"],
  [RPC_CODE.unauthorized, "credentials"],
  [RPC_CODE.methodNotFound, "wrong-agent"],
  [RPC_CODE.versionNotSupported, "wrong-agent"],
  [RPC_CODE.extensionSupportRequired, "wrong-agent"],
  [RPC_CODE.invalidParams, "refused"],
  [RPC_CODE.invalidRequest, "refused"],
  [RPC_CODE.parseError, "refused"],
  [RPC_CODE.contentTypeNotSupported, "refused"],
  [RPC_CODE.taskNotFound, "refused"],
  [RPC_CODE.taskNotCancelable, "refused"],
]);

/** CancelTask is a courtesy: an agent that does not offer it is still the right one. */
const CANCEL_KINDS: ReadonlyMap<number, RpcKind> = new Map([
  [RPC_CODE.taskNotFound, "task-not-found"],
  [RPC_CODE.taskNotCancelable, "not-cancelable"],
  [RPC_CODE.unsupportedOperation, "not-cancelable"],
  [RPC_CODE.methodNotFound, "not-cancelable"],
]);

function kindOfCode(code: number, method: RpcMethod): RpcKind {
  if (method === "GetTask" && code === RPC_CODE.taskNotFound) return "task-not-found";
  const special = method === "CancelTask" ? CANCEL_KINDS.get(code) : undefined;
  return special ?? RPC_KINDS.get(code) ?? "other";
}

/** Time from the Retry-After header, a date by the clock of the agent when it tells that. */
function retryAfterOf(reply: HttpReply, nowMs: number): number | undefined {
  const agentNowMs = parseHttpDate(headerOf(reply.headers, "date"));
  return parseRetryAfter(headerOf(reply.headers, "retry-after"), agentNowMs ?? nowMs);
}

function retryDelayIn(reply: HttpReply, context: CallContext): number | undefined {
  const envelope = readEnvelope(reply.body, context.rpcId);
  return envelope.kind === "error" ? retryDelayOf(envelope.error.data) : undefined;
}

/** The `retryDelay` of a google.rpc.RetryInfo in error data, with or without its `@type` (A2A §9.5). */
function retryDelayOf(data: unknown): number | undefined {
  const details: readonly unknown[] = Array.isArray(data) ? data : [data];
  for (const detail of details) {
    if (isJsonObject(detail) && typeof detail["retryDelay"] === "string") {
      return parseRetryDelay(detail["retryDelay"]);
    }
  }
  return undefined;
}

function describeStatus(
  reply: HttpReply,
  secret: string,
): { readonly code: string; readonly message: string } {
  return {
    code: String(reply.status),
    message: `the agent answered HTTP ${reply.status}: ${describeBody(reply, secret)}`,
  };
}

function describeBody(reply: HttpReply, secret: string): string {
  const type = agentText(headerOf(reply.headers, "content-type"), secret).slice(0, 60);
  return type === "" ? quoteBody(reply.body, secret) : `${type}, ${quoteBody(reply.body, secret)}`;
}

function headerOf(headers: HttpHeaders, name: string): string {
  const value = headers[name];
  return typeof value === "string" ? value : (value?.[0] ?? "");
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function fail(failure: CallFailure): Classified {
  return { kind: "failure", failure };
}
