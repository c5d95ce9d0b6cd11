import { describe, expect, it } from "vitest";
import type { HttpReply } from "../../../src/a2a/classify.ts";
import { classifyReply } from "../../../src/a2a/classify.ts";
import type { RpcMethod } from "../../../src/a2a/wire.ts";
import type { CallFailure } from "../../../src/core/call.ts";
import { TASK_STATES } from "../../../src/core/call.ts";
import { decideAfterFailedSend } from "../../../src/core/send-policy.ts";
import { decideAfterFailedPoll } from "../../../src/core/track-policy.ts";

const RPC_ID = "6a52dd1c-04a1-4d6b-9f5c-0d3cf6a6c6aa";

type Answer = Pick<HttpReply, "status" | "headers" | "body">;

function rpc(code: number, data?: unknown): Answer {
  const error = { code, message: "words", data };
  return { status: 200, headers: {}, body: JSON.stringify({ jsonrpc: "2.0", id: RPC_ID, error }) };
}

function http(status: number, headers: Record<string, string> = {}): Answer {
  return { status, headers, body: "<html>words</html>" };
}

function foreignId(): Answer {
  const body = JSON.stringify({ jsonrpc: "2.0", id: "another", result: { task: { id: "t" } } });
  return { status: 200, headers: {}, body };
}

function failureFrom(answer: Answer, method: RpcMethod): CallFailure {
  const context = { method, rpcId: RPC_ID, secret: "", nowMs: 0 };
  const classified = classifyReply({ kind: "reply", ...answer }, context);
  if (classified.kind === "result") throw new Error("the answer was accepted");
  return classified.failure;
}

/** What follows from an answer to the last attempt of a row, in two words. */
function afterSend(answer: Answer, spentAttempts: number): string {
  const history = { spentAttempts, maxAttempts: 6, timedOutSends: 0, random: 0.5 };
  const decision = decideAfterFailedSend(failureFrom(answer, "SendMessage"), history);
  switch (decision.kind) {
    case "again":
      return decision.spends ? "again" : "again for nothing";
    case "fail":
      return decision.reason;
    case "stop":
      return `stop: ${decision.stop.kind}`;
  }
}

function afterPoll(answer: Answer, overdue: boolean): string {
  const failedPolls = overdue ? 3 : 1;
  const history = { failedPolls, lostForMs: undefined, tryGroup: 0, overdue, random: 0.5 };
  const decision = decideAfterFailedPoll(failureFrom(answer, "GetTask"), history);
  switch (decision.kind) {
    case "fail":
      return decision.reason;
    case "stop":
      return `stop: ${decision.stop.kind}`;
    case "ask-again":
    case "send-anew":
      return decision.kind;
  }
}

const UNKNOWN_OUTCOME: readonly [string, Answer, string][] = [
  ["-32603", rpc(-32_603), "AGENT_UNAVAILABLE"],
  ["-32000", rpc(-32_000), "AGENT_UNAVAILABLE"],
  ["-32006", rpc(-32_006), "AGENT_UNAVAILABLE"],
  ["HTTP 408", http(408), "AGENT_UNAVAILABLE"],
  ["HTTP 425", http(425), "AGENT_UNAVAILABLE"],
  ["HTTP 500", http(500), "AGENT_UNAVAILABLE"],
  ["HTTP 502", http(502), "AGENT_UNAVAILABLE"],
  ["HTTP 503", http(503), "AGENT_UNAVAILABLE"],
  ["HTTP 504", http(504), "AGENT_UNAVAILABLE"],
  ["an unreadable 200", http(200), "PROTOCOL_ERROR"],
  ["a foreign response id", foreignId(), "PROTOCOL_ERROR"],
];

const THROTTLED: readonly [string, Answer][] = [
  ["HTTP 429", http(429)],
  ["HTTP 503 with Retry-After", http(503, { "retry-after": "3" })],
  ["RetryInfo in error data", rpc(-32_000, [{ retryDelay: "3s" }])],
];

const REFUSED: readonly [string, Answer][] = [
  ["-32602", rpc(-32_602)],
  ["-32600", rpc(-32_600)],
  ["-32700", rpc(-32_700)],
  ["-32005", rpc(-32_005)],
  ["a code nobody knows", rpc(-32_050)],
  ["HTTP 400", http(400)],
  ["HTTP 413", http(413)],
  ["HTTP 415", http(415)],
  ["HTTP 422", http(422)],
];

const CREDENTIALS: readonly [string, Answer][] = [
  ["HTTP 401", http(401)],
  ["HTTP 402", http(402)],
  ["HTTP 403", http(403)],
  ["-31401", rpc(-31_401)],
  ["-31403", rpc(-31_403)],
];

const WRONG_AGENT: readonly [string, Answer][] = [
  ["-32601", rpc(-32_601)],
  ["-32009", rpc(-32_009)],
  ["-32008", rpc(-32_008)],
  ["HTTP 301", http(301, { location: "https://elsewhere.example/" })],
  ["HTTP 307", http(307, { location: "https://elsewhere.example/" })],
];

describe("an answer to SendMessage", () => {
  it.each(UNKNOWN_OUTCOME)("%s: sent again until the attempts are used up", (_, answer, reason) => {
    expect(afterSend(answer, 0)).toBe("again");
    expect(afterSend(answer, 5)).toBe(reason);
  });

  it.each(THROTTLED)("%s: sent again and no attempt is used", (_, answer) => {
    expect(afterSend(answer, 5)).toBe("again for nothing");
  });

  it.each([...REFUSED, ["-32001", rpc(-32_001)] as const])("%s: the row fails", (_, answer) => {
    expect(afterSend(answer, 0)).toBe("AGENT_REFUSED");
  });

  it.each(CREDENTIALS)("%s: the process ends for want of credentials", (_, answer) => {
    expect(afterSend(answer, 0)).toBe("stop: credentials");
  });

  it.each([...WRONG_AGENT, ["HTTP 404", http(404)] as const, ["HTTP 405", http(405)] as const])(
    "%s: the process ends, for this is not the agent that was configured",
    (_, answer) => {
      expect(afterSend(answer, 0)).toBe("stop: wrong-agent");
    },
  );
});

describe("an answer to GetTask", () => {
  it.each(UNKNOWN_OUTCOME)("%s: asked again until --task-timeout", (_, answer, reason) => {
    expect(afterPoll(answer, false)).toBe("ask-again");
    expect(afterPoll(answer, true)).toBe(reason);
  });

  it.each(THROTTLED)("%s: asked again, whatever the task's age", (_, answer) => {
    expect(afterPoll(answer, false)).toBe("ask-again");
    expect(afterPoll(answer, true)).toBe("ask-again");
  });

  it.each(REFUSED)("%s: asked again until --task-timeout, never final at once", (_, answer) => {
    expect(afterPoll(answer, false)).toBe("ask-again");
    expect(afterPoll(answer, true)).toBe("AGENT_REFUSED");
  });

  it.each([["HTTP 404", http(404)] as const, ["HTTP 405", http(405)] as const])(
    "%s: asked again until --task-timeout, for the address was right before",
    (_, answer) => {
      expect(afterPoll(answer, false)).toBe("ask-again");
      expect(afterPoll(answer, true)).toBe("AGENT_UNAVAILABLE");
    },
  );

  it.each(CREDENTIALS)("%s: the process ends for want of credentials", (_, answer) => {
    expect(afterPoll(answer, false)).toBe("stop: credentials");
  });

  it.each(WRONG_AGENT)("%s: the process ends, for this is another agent", (_, answer) => {
    expect(afterPoll(answer, false)).toBe("stop: wrong-agent");
  });

  it("-32001: asked again at first", () => {
    expect(failureFrom(rpc(-32_001), "GetTask").kind).toBe("task-not-found");
    expect(afterPoll(rpc(-32_001), false)).toBe("ask-again");
  });
});

describe("the task states", () => {
  it("are in the order of their numbers in the protocol's definition", () => {
    expect(TASK_STATES).toEqual([
      "SUBMITTED",
      "WORKING",
      "COMPLETED",
      "FAILED",
      "CANCELED",
      "INPUT_REQUIRED",
      "REJECTED",
      "AUTH_REQUIRED",
    ]);
  });
});
