import { describe, expect, it, onTestFinished } from "vitest";
import type { AgentClientOptions } from "../../../src/a2a/client.ts";
import { createAgentClient } from "../../../src/a2a/client.ts";
import { createTransport } from "../../../src/a2a/transport.ts";
import type { Answer } from "./http-server.ts";
import { json, serve } from "./http-server.ts";
import { checkRequest } from "./strict-request.ts";

const SIGNAL = new AbortController().signal;
const TASK = {
  id: "task-1",
  contextId: "ctx-1",
  status: { state: "TASK_STATE_WORKING", timestamp: "2026-08-26T10:00:00Z" },
};

async function setup(answer: Answer, options: Partial<AgentClientOptions> = {}) {
  const server = await serve((request, response) => {
    checkRequest(request.body);
    return answer(request, response);
  });
  const transport = createTransport();
  onTestFinished(() => transport.close());
  const client = createAgentClient({
    transport,
    endpoint: `${server.origin}/a2a/agent/`,
    requestTimeoutMs: 20_000,
    maxResponseBytes: 8_388_608,
    ...options,
  });
  return { server, client, requests: () => server.seen.map(({ body }) => JSON.parse(body)) };
}

function idOf(body: string): unknown {
  return (JSON.parse(body) as { id: unknown }).id;
}

/** Answers every call with this result. */
function result(value: unknown): Answer {
  return ({ body }, response) => json(response, { jsonrpc: "2.0", id: idOf(body), result: value });
}

const MESSAGE = { messageId: "m-1", text: "Name: Müller, Country: DE" };

describe("what is sent", () => {
  it("is exactly what the specification names, with the version and the key", async () => {
    const { server, client, requests } = await setup(result({ task: TASK }), { apiKey: "k-1" });
    await client.sendMessage(MESSAGE, SIGNAL);
    expect(requests()).toEqual([
      {
        jsonrpc: "2.0",
        id: expect.stringMatching(/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
        method: "SendMessage",
        params: {
          message: { messageId: "m-1", role: "ROLE_USER", parts: [{ text: MESSAGE.text }] },
          configuration: { returnImmediately: true },
        },
      },
    ]);
    expect(server.seen[0]).toMatchObject({
      method: "POST",
      url: "/a2a/agent/",
      headers: {
        "a2a-version": "1.0",
        "content-type": "application/json",
        accept: "application/json",
        "x-api-key": "k-1",
      },
    });
  });

  it("has no key when there is none", async () => {
    const { server, client } = await setup(result(TASK));
    await client.getTask("task-1", SIGNAL);
    expect(server.seen[0]?.headers).not.toHaveProperty("x-api-key");
  });

  it("names output modes, tenant and the task that goes on, when they are given", async () => {
    const options = { acceptedOutputModes: ["text/plain"], tenant: "acme" };
    const { client, requests } = await setup(result({ task: TASK }), options);
    await client.sendMessage({ ...MESSAGE, taskId: "task-1", contextId: "ctx-1" }, SIGNAL);
    await client.getTask("task-1", SIGNAL);
    await client.cancelTask("task-1", SIGNAL);
    const [send, get, cancel] = requests();
    expect(send.params).toMatchObject({
      tenant: "acme",
      message: { taskId: "task-1", contextId: "ctx-1" },
      configuration: { acceptedOutputModes: ["text/plain"], returnImmediately: true },
    });
    expect(get).toMatchObject({
      method: "GetTask",
      params: { tenant: "acme", id: "task-1", historyLength: 0 },
    });
    expect(cancel).toMatchObject({
      method: "CancelTask",
      params: { tenant: "acme", id: "task-1" },
    });
  });

  it("leaves out what is empty", async () => {
    const { client, requests } = await setup(result({ task: TASK }), { tenant: "", apiKey: "" });
    await client.sendMessage({ ...MESSAGE, taskId: "", contextId: "" }, SIGNAL);
    expect(requests()[0].params).not.toHaveProperty("tenant");
    expect(Object.keys(requests()[0].params.message)).toEqual(["messageId", "role", "parts"]);
  });

  it("cannot hold a key with a line break", () => {
    const options = { endpoint: "http://127.0.0.1/", requestTimeoutMs: 1, maxResponseBytes: 1 };
    const transport = createTransport();
    onTestFinished(() => transport.close());
    expect(() => createAgentClient({ ...options, transport, apiKey: "a\nb" })).toThrow(/API key/);
  });
});

describe("what comes back", () => {
  const snapshot = {
    taskId: "task-1",
    contextId: "ctx-1",
    state: { kind: "known", state: "WORKING" },
    statusParts: [],
    statusAtMs: Date.UTC(2026, 7, 26, 10),
    artifacts: [],
  };

  it.each([
    ["wrapped", { task: TASK }],
    ["bare", TASK],
  ])("is a task, %s, for all three methods", async (_what, value) => {
    const { client } = await setup(result(value));
    const task = { kind: "task", task: snapshot };
    expect(await client.sendMessage(MESSAGE, SIGNAL)).toEqual(task);
    expect(await client.getTask("task-1", SIGNAL)).toEqual(task);
    expect(await client.cancelTask("task-1", SIGNAL)).toEqual(task);
  });

  it("may be a message to a send, and to nothing else", async () => {
    const { client } = await setup(
      result({ message: { messageId: "a", parts: [{ text: "hi" }] } }),
    );
    expect(await client.sendMessage(MESSAGE, SIGNAL)).toEqual({
      kind: "message",
      message: { contextId: "", parts: [{ kind: "text", text: "hi" }] },
    });
    expect(await client.getTask("task-1", SIGNAL)).toMatchObject({ failure: { kind: "protocol" } });
  });

  it.each([{}, { task: null }, { status: { state: "TASK_STATE_COMPLETED" } }])(
    "is a protocol failure when it is neither: %j",
    async (value) => {
      const { client } = await setup(result(value));
      expect(await client.sendMessage(MESSAGE, SIGNAL)).toMatchObject({
        failure: { kind: "protocol" },
      });
    },
  );

  it("is a protocol failure when it is about another task than the one asked for", async () => {
    const { client } = await setup(result({ ...TASK, id: "task-2" }));
    for (const reply of [
      await client.getTask("task-1", SIGNAL),
      await client.cancelTask("task-1", SIGNAL),
    ]) {
      expect(reply).toMatchObject({
        kind: "failure",
        failure: { kind: "protocol", message: expect.stringContaining("is about another task") },
      });
    }
  });

  it("is a protocol failure when a cancel is answered with null", async () => {
    const { client } = await setup(result(null));
    expect(await client.cancelTask("task-1", SIGNAL)).toMatchObject({
      failure: { kind: "protocol" },
    });
  });

  it("is never taken from another call: two swapped ids fail both", async () => {
    const waiting: { id: unknown; answer: (id: unknown) => void }[] = [];
    const { client } = await setup(({ body }, response) => {
      const answer = (id: unknown): void =>
        json(response, { jsonrpc: "2.0", id, result: { task: TASK } });
      waiting.push({ id: idOf(body), answer });
      const [one, two] = waiting;
      if (one === undefined || two === undefined) return;
      one.answer(two.id);
      two.answer(one.id);
    });
    const replies = await Promise.all([
      client.sendMessage(MESSAGE, SIGNAL),
      client.sendMessage({ ...MESSAGE, messageId: "m-2" }, SIGNAL),
    ]);
    for (const reply of replies) {
      expect(reply).toMatchObject({
        failure: { kind: "protocol", message: expect.stringContaining("another request") },
      });
    }
  });

  it("is an error even when its id is null", async () => {
    const { client } = await setup((_, response) =>
      json(response, { jsonrpc: "2.0", id: null, error: { code: -32001, message: "gone" } }),
    );
    expect(await client.getTask("task-1", SIGNAL)).toEqual({
      kind: "failure",
      failure: { kind: "task-not-found", code: "-32001", message: "gone" },
    });
  });

  it("is an error even inside HTTP 500", async () => {
    const { client } = await setup(({ body }, response) => {
      const error = { code: -32603, message: "boom" };
      json(response, { jsonrpc: "2.0", id: idOf(body), error }, 500);
    });
    expect(await client.sendMessage(MESSAGE, SIGNAL)).toEqual({
      kind: "failure",
      failure: { kind: "unavailable", code: "-32603", message: "boom" },
    });
  });

  it.each([
    [413, "refused"],
    [404, "wrong-agent"],
    [502, "unavailable"],
  ])("may be a page of a gateway (%d)", async (status, kind) => {
    const { client } = await setup((_, response) => {
      response.writeHead(status, { "content-type": "text/html" });
      response.end("<!DOCTYPE html><html><body>oops</body></html>");
    });
    expect(await client.sendMessage(MESSAGE, SIGNAL)).toMatchObject({
      kind: "failure",
      failure: { kind, code: String(status) },
    });
  });

  it("is refused beyond the bound of the body", async () => {
    const answer = result({ task: { ...TASK, history: ["x".repeat(10_000)] } });
    const { client } = await setup(answer, { maxResponseBytes: 1_000 });
    expect(await client.sendMessage(MESSAGE, SIGNAL)).toMatchObject({
      failure: { kind: "too-large" },
    });
  });

  it("may be a redirect, whose target never sees the key", async () => {
    const other = await serve((_, response) => json(response, {}));
    const answer: Answer = (_, response) => {
      response.writeHead(307, { location: `${other.origin}/steal` });
      response.end();
    };
    const { client } = await setup(answer, { apiKey: "k-1" });
    expect(await client.sendMessage(MESSAGE, SIGNAL)).toMatchObject({
      failure: { kind: "wrong-agent", code: "307" },
    });
    expect(other.seen).toEqual([]);
  });

  it("may never come: a send has the request's time-out, a cancel its own", async () => {
    const times = { requestTimeoutMs: 120, cancelTimeoutMs: 60 };
    const { client } = await setup(() => {}, times);
    expect(await client.sendMessage(MESSAGE, SIGNAL)).toMatchObject({
      failure: { kind: "timed-out", message: expect.stringContaining("120 ms") },
    });
    expect(await client.cancelTask("task-1", SIGNAL)).toMatchObject({
      failure: { kind: "timed-out", message: expect.stringContaining("60 ms") },
    });
  });
});
