import type { IncomingHttpHeaders, ServerResponse } from "node:http";
import { checkHeaders } from "./check-headers.ts";
import type { AnswerEffect, FaultCall, FaultDecision } from "./faults.ts";
import { createFaultPlan } from "./faults.ts";
import type { Methods, ValidCall } from "./methods.ts";
import { createMethods } from "./methods.ts";
import type { RpcMethod } from "./options.ts";
import { RPC_METHODS } from "./options.ts";
import { checkCall } from "./params.ts";
import { computeFillBytes, renderReply } from "./render.ts";
import { sendFault, sendFilled, sendJson, sendRaw, throttledAnswer } from "./respond.ts";
import type { Reply, RpcId, RpcRequest } from "./rpc.ts";
import { errorReply, parseRequest } from "./rpc.ts";
import type { LimitVerdict } from "./send-limit.ts";
import { createSendLimit } from "./send-limit.ts";
import type { MethodDeps } from "./send-message.ts";

/** One POST: what came, and where the answer goes. */
export interface Exchange {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly outgoing: ServerResponse;
}

/** A call whose request could be read, and where its answer goes. */
interface OpenCall {
  readonly id: RpcId | null;
  readonly method: string;
  readonly outgoing: ServerResponse;
}

/** Faults instead of the answer; `wrong-id` is the answer, under a wrong name. */
type LostAnswer = Exclude<AnswerEffect, { kind: "wrong-id" }>;

interface HandlerDeps extends MethodDeps {
  readonly decide: (call: FaultCall) => FaultDecision;
  readonly checkLimit: (nowMs: number) => LimitVerdict;
  readonly methods: Methods;
}

function isRpcMethod(method: string): method is RpcMethod {
  return RPC_METHODS.some((known) => known === method);
}

/** Whether the work of the call is done although its answer is lost. */
function strikesAfter(effect: LostAnswer): boolean {
  return effect.kind !== "throttle" && effect.after;
}

function otherId(id: RpcId | null): RpcId {
  return typeof id === "number" ? id + 1 : `${id}-other`;
}

async function send({ settings }: HandlerDeps, open: OpenCall, reply: Reply): Promise<void> {
  const json = renderReply(settings, open, reply);
  const fillBytes = computeFillBytes(reply);
  if (fillBytes > 0) {
    await sendFilled(open.outgoing, json, fillBytes);
  } else {
    sendJson(open.outgoing, json);
  }
}

async function refuse(deps: HandlerDeps, open: OpenCall, reply: Reply): Promise<void> {
  deps.stats.count("refused");
  await send(deps, open, reply);
}

/** Whether the limit refused the send, and it was told so. */
function throttle({ checkLimit, stats }: HandlerDeps, { method, outgoing }: OpenCall): boolean {
  const verdict = method === "SendMessage" ? checkLimit(performance.now()) : undefined;
  if (verdict?.kind !== "throttled") {
    return false;
  }
  stats.count("throttled");
  sendRaw(outgoing, throttledAnswer(String(verdict.retryAfterSeconds)));
  return true;
}

async function strike(deps: HandlerDeps, open: OpenCall, effect: LostAnswer): Promise<void> {
  if (effect.kind === "rpc-error") {
    await send(deps, open, errorReply(effect.code, effect.message, effect.data));
  } else {
    sendFault(open.outgoing, effect);
  }
}

async function delay({ waits }: HandlerDeps, { delayMs }: FaultDecision): Promise<void> {
  if (delayMs > 0) {
    await waits.wait(delayMs, "slow");
  }
}

async function answerCall(
  deps: HandlerDeps,
  open: OpenCall & { readonly index: number },
  call: ValidCall,
): Promise<void> {
  const decision = deps.decide(deps.methods.describe(call, open.index));
  const { answer, task } = decision;
  deps.stats.decide(decision);
  if (answer === undefined || answer.kind === "wrong-id") {
    const reply = await deps.methods.perform(call, task);
    await delay(deps, decision);
    await send(deps, answer === undefined ? open : { ...open, id: otherId(open.id) }, reply);
    return;
  }
  if (strikesAfter(answer)) {
    await deps.methods.perform(call, task);
  }
  await delay(deps, decision);
  await strike(deps, open, answer);
}

async function handleRequest(
  deps: HandlerDeps,
  exchange: Exchange,
  { id, method, params }: RpcRequest,
): Promise<void> {
  const index = isRpcMethod(method) ? deps.stats.call(method) : 0;
  const open = { id, method, index, outgoing: exchange.outgoing };
  const refusal = checkHeaders(exchange.headers, deps.settings);
  if (refusal !== undefined) {
    await refuse(deps, open, refusal);
    return;
  }
  const call = checkCall(method, params);
  if (call.kind === "refused") {
    await refuse(deps, open, call.reply);
  } else if (!throttle(deps, open)) {
    await answerCall(deps, open, call);
  }
}

/** Answers JSON-RPC calls, with the faults and the limit that were ordered. */
export function createCallHandler(given: MethodDeps): (exchange: Exchange) => Promise<void> {
  const deps: HandlerDeps = {
    ...given,
    decide: createFaultPlan(given.settings.faults),
    checkLimit: createSendLimit(given.settings.limit),
    methods: createMethods(given),
  };
  return async (exchange) => {
    deps.stats.enter();
    try {
      const parsed = parseRequest(exchange.body);
      if (parsed.kind === "request") {
        await handleRequest(deps, exchange, parsed.request);
      } else {
        const open = { id: parsed.id, method: "", outgoing: exchange.outgoing };
        await refuse(deps, open, { kind: "error", error: parsed.error });
      }
    } finally {
      deps.stats.leave();
    }
  };
}
