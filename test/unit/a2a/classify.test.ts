import { describe, expect, it } from "vitest";
import type { HttpHeaders, HttpReply } from "../../../src/a2a/classify.ts";
import { classifyReply } from "../../../src/a2a/classify.ts";
import type { RpcMethod } from "../../../src/a2a/wire.ts";

const RPC_ID = "0b7c0e5e-3b9f-4b52-9a54-0a4b6d3f7a11";
const NOW_MS = Date.UTC(2026, 10, 30, 20, 0, 0);
const SECRET = "s3cr3t-key";

function http(status: number, body = "", headers: HttpHeaders = {}): HttpReply {
  return { kind: "reply", status, headers, body };
}

interface RpcAnswer {
  readonly status?: number;
  readonly headers?: HttpHeaders;
  readonly data?: unknown;
  readonly message?: string;
}

function rpc(code: number, answer: RpcAnswer = {}): HttpReply {
  const { status = 200, headers = {}, data, message = "words" } = answer;
  const error = { code, message, data };
  return http(status, JSON.stringify({ jsonrpc: "2.0", id: RPC_ID, error }), headers);
}

function classify(reply: HttpReply, method: RpcMethod = "SendMessage") {
  return classifyReply(reply, { method, rpcId: RPC_ID, secret: SECRET, nowMs: NOW_MS });
}

function failureOf(reply: HttpReply, method: RpcMethod = "SendMessage") {
  const classified = classify(reply, method);
  if (classified.kind !== "failure") throw new Error("the answer was accepted");
  return classified.failure;
}

const ALL: readonly RpcMethod[] = ["SendMessage", "GetTask", "CancelTask"];

describe("an accepted answer", () => {
  it.each([200, 202])("is one with HTTP %d and a result of ours", (status) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: RPC_ID, result: { task: {} } });
    expect(classify(http(status, body))).toEqual({ kind: "result", result: { task: {} } });
  });
});

describe("a JSON-RPC error, whatever the method", () => {
  it.each([
    [-32603, "unavailable"],
    [-32000, "unavailable"],
    [-32006, "unavailable"],
    [-32602, "refused"],
    [-32600, "refused"],
    [-32700, "refused"],
    [-32005, "refused"],
    [-32003, "refused"],
    [-32007, "refused"],
    [-32050, "refused"],
    [42, "refused"],
    [-31401, "credentials"],
    [-31403, "credentials"],
    [-32009, "wrong-agent"],
    [-32008, "wrong-agent"],
  ])("%d is %s", (code, kind) => {
    for (const method of ALL) {
      expect(failureOf(rpc(code), method)).toEqual({ kind, code: String(code), message: "words" });
    }
  });
});

describe("a JSON-RPC error whose meaning hangs on the method", () => {
  it.each<[number, RpcMethod, string]>([
    [-32001, "SendMessage", "refused"],
    [-32001, "GetTask", "task-not-found"],
    [-32001, "CancelTask", "task-not-found"],
    [-32002, "SendMessage", "refused"],
    [-32002, "GetTask", "refused"],
    [-32002, "CancelTask", "not-cancelable"],
    [-32004, "SendMessage", "refused"],
    [-32004, "GetTask", "refused"],
    [-32004, "CancelTask", "not-cancelable"],
    [-32601, "SendMessage", "wrong-agent"],
    [-32601, "GetTask", "wrong-agent"],
    [-32601, "CancelTask", "not-cancelable"],
  ])("%d to %s is %s", (code, method, kind) => {
    expect(failureOf(rpc(code), method).kind).toBe(kind);
  });
});

describe("an HTTP status without a JSON-RPC body", () => {
  it.each([
    [301, "wrong-agent"],
    [307, "wrong-agent"],
    [400, "refused"],
    [401, "credentials"],
    [402, "credentials"],
    [403, "credentials"],
    [407, "not-written"],
    [408, "unavailable"],
    [410, "refused"],
    [413, "refused"],
    [415, "refused"],
    [422, "refused"],
    [425, "unavailable"],
    [429, "throttled"],
    [500, "unavailable"],
    [502, "unavailable"],
    [503, "unavailable"],
    [504, "unavailable"],
    [524, "unavailable"],
  ])("%d is %s, whatever the method", (status, kind) => {
    for (const method of ALL) {
      expect(failureOf(http(status, "<html>"), method)).toMatchObject({
        kind,
        code: String(status),
      });
    }
  });

  it.each([404, 405])("%d shows a wrong address to a send, and an outage later", (status) => {
    const kinds = ALL.map((method) => failureOf(http(status, "<html>"), method).kind);
    expect(kinds).toEqual(["wrong-agent", "unavailable", "unavailable"]);
  });

  it.each([
    [200, ""],
    [200, "<html>log in</html>"],
    [204, ""],
    [200, '{"jsonrpc":"2.0","id":"other","result":{}}'],
  ])("%d with the body %j is a protocol failure", (status, body) => {
    expect(failureOf(http(status, body))).toMatchObject({ kind: "protocol", code: "" });
  });
});

describe("a JSON-RPC error under another status", () => {
  it.each<[number, number, string]>([
    [500, -32603, "unavailable"],
    [500, -32602, "refused"],
    [400, -32009, "wrong-agent"],
    [404, -32601, "wrong-agent"],
    [503, -32602, "refused"],
  ])("HTTP %d with %d goes by the code", (status, code, kind) => {
    expect(failureOf(rpc(code, { status }))).toMatchObject({ kind, code: String(code) });
  });

  it("to a poll with 404 and -32001 is a task that is not found", () => {
    expect(failureOf(rpc(-32001, { status: 404 }), "GetTask").kind).toBe("task-not-found");
  });

  it.each([401, 403])("does not hide refused credentials (HTTP %d)", (status) => {
    expect(failureOf(rpc(-32000, { status }))).toMatchObject({ kind: "credentials" });
  });

  it("does not hide 429 or 503 with Retry-After", () => {
    const headers = { "retry-after": "2" };
    for (const status of [429, 503]) {
      expect(failureOf(rpc(-32602, { status, headers }))).toMatchObject({
        kind: "throttled",
        code: String(status),
        retryAfterMs: 2_000,
      });
    }
  });
});

describe("a throttled call", () => {
  it.each([
    [{ "retry-after": "2" }, 2_000],
    [{ "retry-after": ["3", "9"] }, 3_000],
    [{ "retry-after": "Mon, 30 Nov 2026 20:00:05 GMT" }, 5_000],
    [{ "retry-after": "7200" }, 3_600_000],
    [{ "retry-after": "soon" }, undefined],
  ])("with %j waits %s ms", (headers, retryAfterMs) => {
    for (const status of [429, 503]) {
      const failure = failureOf(http(status, "busy", headers), "GetTask");
      expect(failure).toMatchObject({ kind: "throttled", retryAfterMs });
    }
  });

  it("reads a date by the agent's own clock", () => {
    const headers = {
      date: "Mon, 30 Nov 2026 23:00:00 GMT",
      "retry-after": "Mon, 30 Nov 2026 23:00:04 GMT",
    };
    expect(failureOf(http(429, "", headers))).toMatchObject({ retryAfterMs: 4_000 });
  });

  it("names no time when the agent named none", () => {
    expect(failureOf(http(429))).toMatchObject({ kind: "throttled", retryAfterMs: undefined });
  });

  it.each([
    ["typed", [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "3.5s" }]],
    ["after another detail", [{ reason: "RATE" }, { retryDelay: "3.5s" }]],
    ["bare", { retryDelay: "3.5s" }],
  ])("is recognised by a RetryInfo in the error data (%s)", (_what, data) => {
    for (const code of [-32603, -32029]) {
      expect(failureOf(rpc(code, { data }))).toMatchObject({
        kind: "throttled",
        code: String(code),
        retryAfterMs: 3_500,
      });
    }
    expect(failureOf(rpc(-32603, { data, status: 429 }))).toMatchObject({ retryAfterMs: 3_500 });
  });

  it("is recognised by Retry-After on a server error with HTTP 200", () => {
    const headers = { "retry-after": "1" };
    expect(failureOf(rpc(-32603, { headers }))).toMatchObject({
      kind: "throttled",
      retryAfterMs: 1_000,
    });
  });

  it("is not one whose message the agent will never take", () => {
    const data = [{ retryDelay: "3.5s" }];
    expect(failureOf(rpc(-32602, { data })).kind).toBe("refused");
    expect(failureOf(rpc(-32602, { data: "a text" })).kind).toBe("refused");
  });
});

describe("the message of a failure", () => {
  it("is the agent's own, bounded, on one line and without the key", () => {
    const message = `no\nfor ${SECRET} ${"x".repeat(5_000)}`;
    const failure = failureOf(rpc(-32602, { message }));
    expect(failure.message).toMatch(/^no for \[key\] x+…$/);
    expect(failure.message).toHaveLength(1_000);
  });

  it("names the code when the agent said nothing", () => {
    expect(failureOf(rpc(-32602, { message: "" })).message).toBe(
      "the agent answered error -32602 without a text",
    );
  });

  it("says what was seen without quoting much of it", () => {
    const headers = { "content-type": "text/html; charset=utf-8" };
    const { message } = failureOf(http(502, `<html>\n${"<b>".repeat(1_000)}`, headers));
    expect(message).toMatch(/^the agent answered HTTP 502: text\/html; charset=utf-8, “<html> <b>/);
    expect(message.length).toBeLessThan(200);
  });

  it("does not repeat the body of a refused credential, which may hold the key", () => {
    expect(failureOf(http(401, `bad key ${SECRET}`)).message).toBe("HTTP 401");
  });

  it("names the target of a redirect", () => {
    expect(failureOf(http(308, "", { location: "https://other.example/" }))).toEqual({
      kind: "wrong-agent",
      code: "308",
      message:
        "the agent URL redirects to https://other.example/ (HTTP 308); redirects are not followed",
    });
    expect(failureOf(http(302)).message).toContain("the agent URL redirects (HTTP 302)");
  });
});
