import { expect, test } from "vitest";
import type { SandboxStats } from "../../../src/sandbox/stats.ts";
import { HEADERS, setup, toParams } from "./sandbox-client.ts";

const SLOW = { kind: "fixed", ms: 60_000 } as const;

test("answers the example partner with the words of the vendor's example", async () => {
  const client = await setup();
  const { id, jsonrpc, result } = await client.sendBlocking("m1");
  expect({ id, jsonrpc }).toEqual({ id: "call-1", jsonrpc: "2.0" });
  expect(result.status.state).toBe("TASK_STATE_COMPLETED");
  expect(result.artifacts).toEqual([
    {
      artifactId: "artifact-1",
      name: "Onboarding data",
      parts: [
        {
          text: "Boehringer Ingelheim GmbH, Birkendorfer Str. 65, 88397 Biberach an der Riss, DE.",
        },
      ],
    },
  ]);
  expect(result.contextId).not.toBe("");
  expect(new Date(result.status.timestamp).toISOString()).toBe(result.status.timestamp);
});

test("a send that asks not to wait gets a submitted task that GetTask then follows", async () => {
  const client = await setup({ duration: SLOW });
  const { result } = await client.send("m1");
  expect(result.status.state).toBe("TASK_STATE_SUBMITTED");
  expect(result.artifacts).toBeUndefined();
  const polled = await client.get(result.id);
  expect(polled.result.id).toBe(result.id);
  expect(polled.result.status.state).toBe("TASK_STATE_SUBMITTED");
});

test("a send that does not ask waits until the task has ended", async () => {
  const client = await setup({ duration: { kind: "fixed", ms: 40 } });
  const startedAt = performance.now();
  const { result } = await client.sendBlocking("m1");
  expect(result.status.state).toBe("TASK_STATE_COMPLETED");
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39);
});

test("an agent that ignores the flag waits all the same", async () => {
  const client = await setup({ duration: { kind: "fixed", ms: 40 }, blocking: "ignore-flag" });
  const { result } = await client.send("m1");
  expect(result.status.state).toBe("TASK_STATE_COMPLETED");
});

test("cancels a running task, which also ends a send that waits for it", async () => {
  const client = await setup({ duration: SLOW });
  const { result } = await client.send("m1");
  const waiting = client.sendBlocking("m1");
  while (client.sandbox.stats().repeatedMessageIds === 0) {
    await client.get(result.id);
  }
  const canceled = await client.cancel(result.id);
  expect(canceled.result.status.state).toBe("TASK_STATE_CANCELED");
  expect(canceled.result.status.message.parts).toEqual([{ text: "Canceled on request." }]);
  expect((await waiting).result.status.state).toBe("TASK_STATE_CANCELED");
  expect((await client.cancel(result.id)).error.code).toBe(-32002);
});

test("knows only the tasks that it made", async () => {
  const client = await setup();
  expect(await client.get("task-abc123")).toEqual({
    jsonrpc: "2.0",
    id: "call-1",
    error: { code: -32001, message: "Task not found." },
  });
  expect((await client.cancel("task-abc123")).error.code).toBe(-32001);
});

test("the same messageId gets the same task and is counted", async () => {
  const client = await setup();
  const first = await client.send("m1");
  const second = await client.send("m1");
  expect(second.result.id).toBe(first.result.id);
  expect(client.sandbox.stats()).toMatchObject({ tasks: 1, repeatedMessageIds: 1 });
});

test("without deduplication the same messageId gets another task", async () => {
  const client = await setup({ dedupeMessageIds: false });
  const first = await client.send("m1");
  const second = await client.send("m1");
  expect(second.result.id).not.toBe(first.result.id);
  expect(client.sandbox.stats()).toMatchObject({ tasks: 2, repeatedMessageIds: 1 });
});

test("wraps results when ordered, per method", async () => {
  const client = await setup({ results: "wrapped", taskResults: "wrapped" });
  const sent = await client.send("m1");
  const { id } = sent.result.task;
  expect((await client.get(id)).result.task.id).toBe(id);
  const mixed = await setup({ results: "wrapped" });
  const { task } = (await mixed.send("m1")).result;
  expect((await mixed.get(task.id)).result.id).toBe(task.id);
});

test("the java style prints what is unset, and types its error details", async () => {
  const client = await setup({
    style: "java",
    duration: SLOW,
    faults: [{ match: { textIncludes: "direct" }, effect: { kind: "message" } }],
  });
  const { result } = await client.send("m1");
  expect(result).toMatchObject({ artifacts: [], history: [], metadata: {} });
  expect((await client.get("x")).error.data[0]["@type"]).toMatch(/ErrorInfo$/);
  expect((await client.send("m2", "direct")).result).toMatchObject({
    taskId: "",
    parts: [{ filename: "", mediaType: "" }],
  });
});

test("gives data when it is accepted, and leaves text out when it is not", async () => {
  const client = await setup();
  const ask = async (acceptedOutputModes: string[]) => {
    const configuration = { acceptedOutputModes };
    const params = { ...toParams(acceptedOutputModes.join()), configuration };
    const { result } = await client.call("SendMessage", params);
    return result.artifacts[0].parts;
  };
  const [text, data] = await ask(["text/plain", "application/json"]);
  expect(text.text).toMatch(/^Boehringer/);
  expect(data.data).toMatchObject({
    street: "Birkendorfer Str. 65",
    postalCode: "88397",
    city: "Biberach an der Riss",
    country: "DE",
    identifiers: [{ type: "SANDBOX_ID" }],
  });
  expect(await ask(["application/json"])).toHaveLength(1);
  const structured = await setup({ structured: true });
  expect((await structured.send("m1")).result.artifacts[0].parts).toHaveLength(2);
});

test("gives history only when it is asked for, and keeps the client's context", async () => {
  const client = await setup();
  const message = { ...toParams("m1").message, contextId: "ctx-1" };
  const { result } = await client.call("SendMessage", { message });
  expect(result.contextId).toBe("ctx-1");
  const polled = await client.call("GetTask", { id: result.id, historyLength: 2 });
  expect(polled.result.history).toHaveLength(1);
  expect((await client.get(result.id)).result.history).toBeUndefined();
});

test("a data part may hold anything, null included", async () => {
  const client = await setup();
  const message = { ...toParams("m").message, parts: [{ text: "Name: X" }, { data: null }] };
  expect((await client.call("SendMessage", { message })).result.id).toBeTypeOf("string");
});

test("serves the path of the real agent, with and without the slash", async () => {
  const client = await setup();
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "SendMessage",
    params: toParams("m"),
  });
  for (const path of ["a2a/cdq-genius", "a2a/cdq-genius/"]) {
    const answer = await fetch(`${client.url}${path}`, { method: "POST", headers: HEADERS, body });
    expect(await answer.json()).toHaveProperty("result.status");
  }
  const card = await fetch(`${client.url}a2a/cdq-genius/.well-known/agent-card.json`);
  expect(await card.json()).toMatchObject({ url: `${client.url}a2a/cdq-genius/` });
  expect((await fetch(`${client.url}elsewhere`, { method: "POST" })).status).toBe(404);
});

test("a message to a task that waits for one makes it go on", async () => {
  const client = await setup({
    faults: [{ effect: { kind: "end", state: "INPUT_REQUIRED" } }],
  });
  const { result } = await client.send("m1");
  expect(result.status.state).toBe("TASK_STATE_INPUT_REQUIRED");
  expect(result.status.message.parts[0].text).toContain("Boehringer Ingelheim GmbH");
  const say = (message: object) =>
    client.call("SendMessage", {
      message: { ...toParams("m2").message, taskId: result.id, ...message },
    });
  expect((await say({ taskId: "unknown" })).error.code).toBe(-32001);
  expect((await say({ contextId: "other" })).error.code).toBe(-32602);
  const answered = await say({ contextId: result.contextId });
  expect(answered.result.id).toBe(result.id);
  expect(answered.result.status.state).toBe("TASK_STATE_COMPLETED");
  expect((await say({ messageId: "m3" })).error.code).toBe(-32004);
  expect(client.sandbox.stats()).toMatchObject({ tasks: 1, followUps: 1, ends: { COMPLETED: 1 } });
});

test("a message to a task that works changes nothing", async () => {
  const client = await setup({ duration: SLOW });
  const { result } = await client.send("m1");
  const { result: again } = await client.call("SendMessage", {
    message: { ...toParams("m2").message, taskId: result.id },
    configuration: { returnImmediately: true },
  });
  expect(again).toMatchObject({ id: result.id, status: { state: "TASK_STATE_SUBMITTED" } });
  expect(client.sandbox.stats().followUps).toBe(0);
});

test("tells over HTTP what it was asked", async () => {
  const client = await setup({
    faults: [{ match: { nth: 2, method: "GetTask" }, effect: { kind: "wrong-id" } }],
  });
  const before = await (await fetch(`${client.url}stats`)).json();
  expect(before).toMatchObject({ firstSendAt: null, lastSendAt: null, maxSendPerSecond: 0 });
  const { result } = await client.send("m1");
  await client.get(result.id);
  await client.get(result.id);
  const stats = (await (await fetch(`${client.url}stats`)).json()) as SandboxStats;
  expect(stats).toEqual(client.sandbox.stats());
  expect(stats).toMatchObject({
    calls: { SendMessage: 1, GetTask: 2, CancelTask: 0, card: 0 },
    tasks: 1,
    open: 0,
    ends: { COMPLETED: 1 },
    errorsInjected: 1,
    faults: { "wrong-id": 1 },
    maxSendPerSecond: 1,
    maxInFlight: 1,
  });
  expect(stats.firstSendAt).toBe(stats.lastSendAt);
});
