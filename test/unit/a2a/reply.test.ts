import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../src/a2a/json.ts";
import { readEnvelope, readSendResult, readTaskResult } from "../../../src/a2a/reply.ts";

const ID = "0b7c0e5e-3b9f-4b52-9a54-0a4b6d3f7a11";

const TASK = {
  id: "task-abc123",
  contextId: "ctx-xyz789",
  status: { state: "TASK_STATE_COMPLETED", timestamp: "2026-08-26T10:00:00Z" },
  artifacts: [
    { artifactId: "artifact-1", name: "Onboarding data", parts: [{ text: "Boehringer, DE." }] },
  ],
};

const SNAPSHOT = {
  taskId: "task-abc123",
  contextId: "ctx-xyz789",
  state: { kind: "known", state: "COMPLETED" },
  statusParts: [],
  statusAtMs: Date.UTC(2026, 7, 26, 10),
  artifacts: [{ name: "Onboarding data", parts: [{ kind: "text", text: "Boehringer, DE." }] }],
};

const MESSAGE = { messageId: "m-1", contextId: "c", role: "ROLE_AGENT", parts: [{ text: "hi" }] };
const MESSAGE_READ = {
  kind: "message",
  message: { contextId: "c", parts: [{ kind: "text", text: "hi" }] },
};

function envelope(members: object): string {
  return JSON.stringify({ jsonrpc: "2.0", id: ID, ...members });
}

/** How a task with this status is read. */
function readTask(members: object) {
  const read = readTaskResult({ id: "t", ...members });
  if (read.kind !== "task") throw new Error(read.why);
  return read.task;
}

function readState(state: unknown) {
  return readTask({ status: { state } }).state;
}

function readParts(parts: unknown) {
  return readTask({ artifacts: [{ parts }] }).artifacts[0]?.parts;
}

describe("a result envelope", () => {
  it("is read when it has our id", () => {
    expect(readEnvelope(envelope({ result: { a: 1 } }), ID)).toEqual({
      kind: "result",
      result: { a: 1 },
    });
  });

  it("may have a null error beside the result, no version, and a byte order mark", () => {
    const body = `\uFEFF${JSON.stringify({ id: ID, result: { a: 1 }, error: null })}`;
    expect(readEnvelope(body, ID).kind).toBe("result");
  });

  it.each([
    ["another id", envelope({ id: "other", result: TASK }), "another request"],
    ["a number for an id of digits", envelope({ id: 7, result: TASK }), "another request"],
    ["no id", JSON.stringify({ jsonrpc: "2.0", result: TASK }), "another request"],
    ["a null result", envelope({ result: null }), "neither a result nor an error"],
    ["neither result nor error", envelope({}), "neither a result nor an error"],
    ["both", envelope({ result: TASK, error: { code: 1 } }), "a result and an error"],
    ["a text as result", envelope({ result: "done" }), "no object as result"],
    ["a batch", `[${envelope({ result: TASK })}]`, "not a JSON-RPC object"],
    ["HTML", "<html></html>", "not a JSON-RPC object"],
    ["half a body", envelope({ result: TASK }).slice(0, 80), "not a JSON-RPC object"],
    ["nothing", "", "not a JSON-RPC object"],
  ])("is unreadable with %s", (_what, body, why) => {
    expect(readEnvelope(body, ID)).toEqual({
      kind: "unreadable",
      why: expect.stringContaining(why),
    });
  });

  it("is unreadable when it is nested too deeply, and no stack overflows", () => {
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const body = `{"jsonrpc":"2.0","id":"${ID}","result":{"id":"t","artifacts":[{"parts":[{"data":${deep}}]}]}}`;
    expect(readEnvelope(body, ID)).toEqual({
      kind: "unreadable",
      why: "is nested deeper than 64 levels",
    });
  });

  it("does not match the number 7 with the id “7”", () => {
    expect(readEnvelope('{"jsonrpc":"2.0","id":7,"result":{}}', "7").kind).toBe("unreadable");
    expect(readEnvelope('{"jsonrpc":"2.0","id":"7","result":{}}', "7").kind).toBe("result");
  });
});

describe("an error envelope", () => {
  it.each([ID, null, "UNDETERMINED ID", 3, undefined])("may have the id %j", (id) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32001, message: "gone" } });
    expect(readEnvelope(body, ID)).toEqual({
      kind: "error",
      error: { code: -32001, message: "gone", data: undefined },
    });
  });

  it("may have its code as text, a null result beside it, and no message", () => {
    const body = envelope({ result: null, error: { code: "-32603", message: null, data: [1] } });
    expect(readEnvelope(body, ID)).toEqual({
      kind: "error",
      error: { code: -32603, message: "", data: [1] },
    });
  });

  it.each([
    ["has no version, as gateways answer", JSON.stringify({ error: { code: 401, message: "no" } })],
    ["is a text", envelope({ error: "unauthorized" })],
    ["has no code", envelope({ error: { message: "no" } })],
    ["has a fractional code", envelope({ error: { code: 1.5 } })],
  ])("is unreadable when it %s", (_what, body) => {
    expect(readEnvelope(body, ID).kind).toBe("unreadable");
  });
});

describe("a SendMessage result", () => {
  it.each<[string, JsonObject]>([
    ["wrapped", { task: TASK }],
    ["bare", TASK],
    ["wrapped beside a null message", { task: TASK, message: null }],
    ["told apart by kind", { kind: "task", ...TASK }],
  ])("is read as a task when it is %s", (_what, result) => {
    expect(readSendResult(result)).toEqual({ kind: "task", task: SNAPSHOT });
  });

  it.each<[string, JsonObject]>([
    ["wrapped", { message: MESSAGE }],
    ["bare", MESSAGE],
    ["told apart by kind", { kind: "message", ...MESSAGE }],
  ])("is read as a message when it is %s", (_what, result) => {
    expect(readSendResult(result)).toEqual(MESSAGE_READ);
  });

  it.each<[string, JsonObject]>([
    ["an empty object", {}],
    ["a task without an id", { task: { status: { state: "TASK_STATE_WORKING" } } }],
    ["a task with an empty id", { task: { ...TASK, id: "" } }],
    ["a task with a number as id", { ...TASK, id: 3 }],
    ["an id alone", { id: "x" }],
  ])("is unreadable when it is %s", (_what, result) => {
    expect(readSendResult(result).kind).toBe("unreadable");
  });
});

describe("a GetTask or CancelTask result", () => {
  it.each<[string, JsonObject]>([
    ["bare", TASK],
    ["wrapped", { task: TASK }],
  ])("is read when it is %s", (_what, result) => {
    expect(readTaskResult(result)).toEqual({ kind: "task", task: SNAPSHOT });
  });

  it("is unreadable without a task id, never an empty task", () => {
    expect(readTaskResult({}).kind).toBe("unreadable");
    expect(readTaskResult({ message: MESSAGE }).kind).toBe("unreadable");
  });
});

describe("a task", () => {
  it("takes null, empty text and empty lists for unset", () => {
    const nulls = { contextId: null, status: null, artifacts: null, history: null };
    const empties = { contextId: "", status: { message: { parts: [] } }, artifacts: [] };
    for (const members of [nulls, empties, {}]) {
      expect(readTask(members)).toEqual({
        taskId: "t",
        contextId: "",
        state: { kind: "unknown", raw: "" },
        statusParts: [],
        statusAtMs: undefined,
        artifacts: [],
      });
    }
  });

  it("carries the parts of its status message", () => {
    const message = { ...MESSAGE, taskId: "", metadata: null };
    expect(readTask({ status: { message } }).statusParts).toEqual([{ kind: "text", text: "hi" }]);
  });

  it("keeps artifacts that are no objects, and leaves out null ones", () => {
    expect(readTask({ artifacts: [null, "odd", { name: null, parts: null }] }).artifacts).toEqual([
      { name: "", parts: [{ kind: "data", data: "odd" }] },
      { name: "", parts: [] },
    ]);
  });

  it("does not take a status inside an artifact for its own", () => {
    const artifacts = [{ parts: [{ data: { status: "canceled" } }] }];
    const task = readTask({ status: { state: "TASK_STATE_COMPLETED" }, artifacts });
    expect(task.state).toEqual({ kind: "known", state: "COMPLETED" });
  });
});

describe("a task state", () => {
  it.each([
    ["SUBMITTED", ["TASK_STATE_SUBMITTED", 1, "submitted"]],
    ["WORKING", ["TASK_STATE_WORKING", 2, "working"]],
    ["COMPLETED", ["TASK_STATE_COMPLETED", 3, "completed"]],
    ["FAILED", ["TASK_STATE_FAILED", 4, "failed"]],
    ["CANCELED", ["TASK_STATE_CANCELED", 5, "canceled"]],
    ["INPUT_REQUIRED", ["TASK_STATE_INPUT_REQUIRED", 6, "input-required"]],
    ["REJECTED", ["TASK_STATE_REJECTED", 7, "rejected"]],
    ["AUTH_REQUIRED", ["TASK_STATE_AUTH_REQUIRED", 8, "auth-required"]],
  ])("is known as %s in the spellings %j", (state, spellings) => {
    for (const spelling of spellings) {
      expect(readState(spelling)).toEqual({ kind: "known", state });
    }
  });

  it.each([
    ["TASK_STATE_PAUSED", "TASK_STATE_PAUSED"],
    ["TASK_STATE_UNSPECIFIED", "TASK_STATE_UNSPECIFIED"],
    ["UNRECOGNIZED", "UNRECOGNIZED"],
    ["COMPLETED ", "COMPLETED "],
    ["unknown", "unknown"],
    [0, "0"],
    [9, "9"],
    [-1, "-1"],
    [null, ""],
    [undefined, ""],
    ["", ""],
    [{ state: "TASK_STATE_COMPLETED" }, '{"state":"TASK_STATE_COMPLETED"}'],
    ["x".repeat(500), "x".repeat(100)],
  ])("is never an end when it is %j", (state, raw) => {
    expect(readState(state)).toEqual({ kind: "unknown", raw });
  });
});

describe("a status timestamp", () => {
  it.each([
    ["2026-11-30T20:29:52.514Z", Date.UTC(2026, 10, 30, 20, 29, 52, 514)],
    ["2026-11-30T20:29:52Z", Date.UTC(2026, 10, 30, 20, 29, 52)],
    ["2026-11-30T20:29:52.123456789Z", Date.UTC(2026, 10, 30, 20, 29, 52, 123)],
    ["2026-11-30T22:29:52+02:00", Date.UTC(2026, 10, 30, 20, 29, 52)],
    ["2026-11-30T20:29:52", Date.UTC(2026, 10, 30, 20, 29, 52)],
    ["", undefined],
    ["yesterday", undefined],
    [1_796_070_592, undefined],
    [null, undefined],
  ])("%j is %s ms", (timestamp, atMs) => {
    expect(readTask({ status: { timestamp } }).statusAtMs).toBe(atMs);
  });
});

describe("a part", () => {
  it.each([
    [
      { text: "a", mediaType: "text/plain" },
      { kind: "text", text: "a" },
    ],
    [{ text: "" }, { kind: "text", text: "" }],
    [{ text: null }, { kind: "text", text: "" }],
    [
      { data: null, mediaType: "application/json" },
      { kind: "data", data: null },
    ],
    [{ data: { a: 1, n: null } }, { kind: "data", data: { a: 1, n: null } }],
    [{ data: false }, { kind: "data", data: false }],
    [
      { raw: "AP8B", filename: "b.bin", mediaType: "application/octet-stream" },
      { kind: "raw", base64: "AP8B", name: "b.bin", mediaType: "application/octet-stream" },
    ],
    [
      { url: "https://files.example/x.pdf", filename: "", mediaType: null },
      { kind: "url", url: "https://files.example/x.pdf", name: "", mediaType: "" },
    ],
  ])("%j is told apart by the member it has", (part, read) => {
    expect(readParts([part])).toEqual([read]);
  });

  it.each([
    [
      { text: "a", data: null, url: null, raw: null },
      { kind: "text", text: "a" },
    ],
    [
      { text: "", url: "u", filename: "", mediaType: "" },
      { kind: "url", url: "u", name: "", mediaType: "" },
    ],
    [
      { text: "", data: { a: 1 } },
      { kind: "data", data: { a: 1 } },
    ],
    [
      { text: "", raw: "", url: "", data: null },
      { kind: "text", text: "" },
    ],
  ])("%j ignores members that are printed but unset", (part, read) => {
    expect(readParts([part])).toEqual([read]);
  });

  it.each([
    { text: "a", url: "u" },
    { metadata: {} },
    { text: 5 },
    { url: ["u"] },
    { file: {} },
    "bare",
    3,
  ])("%j is kept whole as data", (part) => {
    expect(readParts([part])).toEqual([{ kind: "data", data: part }]);
  });

  it.each([
    [
      { uri: "https://f.example/a", mimeType: "text/csv", name: "a" },
      { kind: "url", url: "https://f.example/a", name: "a", mediaType: "text/csv" },
    ],
    [{ bytes: "AP8B" }, { kind: "raw", base64: "AP8B", name: "", mediaType: "" }],
  ])("of 0.3 with the file %j is read too", (file, read) => {
    expect(readParts([{ kind: "file", file }])).toEqual([read]);
  });

  it("that is null is left out", () => {
    expect(readParts([null, { text: "a" }])).toEqual([{ kind: "text", text: "a" }]);
  });
});
