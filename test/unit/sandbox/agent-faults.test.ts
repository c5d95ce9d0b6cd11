import { expect, test } from "vitest";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { setup, toParams } from "./sandbox-client.ts";

type Effect = NonNullable<SandboxOptions["faults"]>[number]["effect"];

const SEND = JSON.stringify({
  jsonrpc: "2.0",
  id: "call-1",
  method: "SendMessage",
  params: toParams("m1"),
});

/** A sandbox whose first send of each message meets the effect. */
function setupWith(effect: Effect) {
  return setup({ faults: [{ match: { method: "SendMessage", nth: 1 }, effect }] });
}

test("rpc-error answers with that error, once, before any task is made", async () => {
  const client = await setupWith({ kind: "rpc-error", code: -32603, message: "Oops", data: ["x"] });
  const { error, id } = await client.send("m1");
  expect({ error, id }).toEqual({
    id: "call-1",
    error: { code: -32603, message: "Oops", data: ["x"] },
  });
  expect(client.sandbox.stats()).toMatchObject({ tasks: 0, errorsInjected: 1 });
  expect((await client.send("m1")).result.status.state).toBe("TASK_STATE_COMPLETED");
});

test("rpc-error after the work leaves the task behind", async () => {
  const client = await setupWith({ kind: "rpc-error", code: -32603, after: true });
  expect((await client.send("m1")).error.code).toBe(-32603);
  expect(client.sandbox.stats().tasks).toBe(1);
  await client.send("m1");
  expect(client.sandbox.stats().tasks).toBe(1);
});

test("http answers with that status, headers and body", async () => {
  const client = await setupWith({
    kind: "http",
    status: 307,
    headers: { location: "http://127.0.0.1:1/" },
    body: "<html>",
  });
  const answer = await client.post(SEND);
  expect([answer.status, answer.headers.get("location"), answer.text]).toEqual([
    307,
    "http://127.0.0.1:1/",
    "<html>",
  ]);
  expect(client.sandbox.stats().tasks).toBe(0);
});

test("http after the work leaves the task behind", async () => {
  const client = await setupWith({ kind: "http", status: 502, after: true });
  expect((await client.post(SEND)).status).toBe(502);
  expect(client.sandbox.stats().tasks).toBe(1);
});

test("throttle answers 429 with the Retry-After that was ordered, or with none", async () => {
  const client = await setupWith({ kind: "throttle", retryAfter: "7" });
  const answer = await client.post(SEND);
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "7"]);
  const silent = await setupWith({ kind: "throttle" });
  expect((await silent.post(SEND)).headers.get("retry-after")).toBeNull();
});

test.each([
  [false, 0],
  [true, 1],
])("reset with after %s breaks the connection and leaves %i task", async (after, tasks) => {
  const client = await setupWith({ kind: "reset", after });
  await expect(client.send("m1")).rejects.toMatchObject({ cause: { code: "ECONNRESET" } });
  expect(client.sandbox.stats().tasks).toBe(tasks);
});

test.each([
  [false, 0],
  [true, 1],
])("hang with after %s never answers and leaves %i task", async (after, tasks) => {
  const client = await setupWith({ kind: "hang", after });
  const answer = client.send("m1").then(
    () => "answered",
    () => "broken",
  );
  while (client.sandbox.stats().errorsInjected === 0) {
    await client.get("x");
  }
  await client.get("x");
  expect(client.sandbox.stats().tasks).toBe(tasks);
  await client.sandbox.stop();
  expect(await answer).toBe("broken");
});

test("slow delays the answer, not the work, and lets the next fault answer", async () => {
  const client = await setup({
    faults: [
      { match: { nth: 1 }, effect: { kind: "slow", ms: 20 } },
      { match: { nth: 1 }, effect: { kind: "slow", ms: 20 } },
      { match: { textIncludes: "bad" }, effect: { kind: "http", status: 503 } },
    ],
  });
  const startedAt = performance.now();
  expect((await client.send("m1")).result.id).toBeTypeOf("string");
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39);
  const bad = SEND.replaceAll("m1", "m2").replace("Provide", "bad");
  expect((await client.post(bad)).status).toBe(503);
});

test("malformed answers 200 with what is no JSON, or with the body that was ordered", async () => {
  const client = await setupWith({ kind: "malformed" });
  const answer = await client.post(SEND);
  expect(answer.status).toBe(200);
  expect(() => JSON.parse(answer.text)).toThrow(/JSON/);
  const login = await setupWith({ kind: "malformed", body: "<html>login</html>", after: true });
  expect((await login.post(SEND)).text).toBe("<html>login</html>");
  expect(login.sandbox.stats().tasks).toBe(1);
});

test("wrong-id answers rightly under another id", async () => {
  const client = await setupWith({ kind: "wrong-id" });
  const { id, result } = await client.send("m1");
  expect(id).toBe("call-1-other");
  expect(result.status.state).toBe("TASK_STATE_COMPLETED");
  const numeric = await setupWith({ kind: "wrong-id" });
  const answer = await numeric.post(SEND.replace('"call-1"', "7"));
  expect(JSON.parse(answer.text).id).toBe(8);
});

test.each([
  ["FAILED", "TASK_STATE_FAILED", /failed/],
  ["REJECTED", "TASK_STATE_REJECTED", /outside/],
  ["CANCELED", "TASK_STATE_CANCELED", /Canceled/],
  ["INPUT_REQUIRED", "TASK_STATE_INPUT_REQUIRED", /Which street/],
  ["AUTH_REQUIRED", "TASK_STATE_AUTH_REQUIRED", /authorization/],
])("end %s ends the task so, with the agent's words", async (state, wire, words) => {
  const client = await setup({ faults: [{ effect: { kind: "end", state } }] });
  const { result } = await client.send("m1");
  expect(result.status.state).toBe(wire);
  expect(result.status.message.parts[0].text).toMatch(words);
  expect(result.artifacts).toBeUndefined();
  expect(client.sandbox.stats().ends).toEqual({ [state]: 1 });
});

test("end sends unknown states as they are, an empty one not at all, and words as ordered", async () => {
  const client = await setup({
    faults: [
      { match: { textIncludes: "paused" }, effect: { kind: "end", state: "TASK_STATE_PAUSED" } },
      { match: { textIncludes: "none" }, effect: { kind: "end", state: "" } },
      { match: { textIncludes: "words" }, effect: { kind: "end", state: "FAILED", text: "So." } },
    ],
  });
  const paused = await client.send("m1", "paused");
  expect(paused.result.status).toMatchObject({ state: "TASK_STATE_PAUSED" });
  expect(paused.result.status.message).toBeUndefined();
  expect((await client.send("m2", "none")).result.status.state).toBeUndefined();
  const { result } = await client.send("m3", "words");
  expect(result.status.message.parts).toEqual([{ text: "So." }]);
  expect(client.sandbox.stats().ends).toEqual({ PAUSED: 1, NONE: 1, FAILED: 1 });
});

test("end can go on by itself to COMPLETED", async () => {
  const client = await setup({
    faults: [{ effect: { kind: "end", state: "AUTH_REQUIRED", resumeAfterMs: 30 } }],
  });
  const { result } = await client.send("m1");
  expect(result.status.state).toBe("TASK_STATE_AUTH_REQUIRED");
  let state = result.status.state;
  while (state === "TASK_STATE_AUTH_REQUIRED") {
    state = (await client.get(result.id)).result.status.state;
  }
  expect(state).toBe("TASK_STATE_COMPLETED");
});

test("end ordered for GetTask ends the task at that poll", async () => {
  const client = await setup({
    duration: { kind: "fixed", ms: 60_000 },
    faults: [{ match: { method: "GetTask", nth: 2 }, effect: { kind: "end", state: "COMPLETED" } }],
  });
  const { result } = await client.send("m1");
  const stateNow = async () => (await client.get(result.id)).result.status.state;
  expect(await stateNow()).toBe("TASK_STATE_SUBMITTED");
  expect(await stateNow()).toBe("TASK_STATE_COMPLETED");
});

test("message answers directly and makes no task, and repeats are one message", async () => {
  const client = await setup({ results: "wrapped", faults: [{ effect: { kind: "message" } }] });
  const { result } = await client.send("m1");
  await client.send("m1");
  expect(result.message).toMatchObject({
    role: "ROLE_AGENT",
    parts: [{ text: expect.stringMatching(/^Boehringer/) }],
  });
  expect(client.sandbox.stats()).toMatchObject({ tasks: 0, directMessages: 1 });
  const worded = await setup({ faults: [{ effect: { kind: "message", text: "Hello." } }] });
  expect((await worded.send("m1")).result.parts).toEqual([{ text: "Hello." }]);
});

test("lose-task forgets the task after its birth; a repeat of the message makes a new one", async () => {
  const client = await setup({
    faults: [{ match: { nth: 1 }, effect: { kind: "lose-task" } }],
  });
  const { result } = await client.send("m1");
  expect((await client.get(result.id)).error.code).toBe(-32001);
  const again = await client.send("m1");
  expect(again.result.id).not.toBe(result.id);
  expect((await client.get(again.result.id)).result.id).toBe(again.result.id);
  expect(client.sandbox.stats()).toMatchObject({ tasks: 2, lostTasks: 1, repeatedMessageIds: 1 });
});

test("lose-task ordered for a poll or a cancel forgets the task then", async () => {
  const client = await setup({
    faults: [
      { match: { method: "GetTask", nth: 2 }, effect: { kind: "lose-task" } },
      { match: { method: "CancelTask" }, effect: { kind: "lose-task" } },
    ],
  });
  const { id } = (await client.send("m1")).result;
  expect((await client.get(id)).result.id).toBe(id);
  expect((await client.get(id)).error.code).toBe(-32001);
  expect((await client.get(id)).error.code).toBe(-32001);
  const other = (await client.send("m2")).result.id;
  expect((await client.cancel(other)).error.code).toBe(-32001);
});

test("huge makes an answer of that many bytes which is still whole JSON", async () => {
  const bytes = 3_000_000;
  const client = await setup({ faults: [{ effect: { kind: "huge", bytes } }] });
  const { result } = await client.send("m1");
  expect(result.artifacts[0].parts[1].text).toHaveLength(bytes);
});

test("a client that hangs up in the middle of a huge answer harms nobody", async () => {
  const client = await setup({
    faults: [
      { match: { textIncludes: "Boehringer" }, effect: { kind: "huge", bytes: 50_000_000 } },
    ],
  });
  const hangUp = new AbortController();
  const answer = await fetch(client.url, {
    method: "POST",
    headers: { "content-type": "application/json", "a2a-version": "1.0" },
    body: SEND,
    signal: hangUp.signal,
  });
  expect(answer.status).toBe(200);
  hangUp.abort();
  await expect(answer.text()).rejects.toThrow(/aborted/);
  expect((await client.send("m2", "Name: Other")).result.id).toBeTypeOf("string");
});

test("huge does not touch the answer of a task that still works", async () => {
  const client = await setup({
    duration: { kind: "fixed", ms: 60_000 },
    faults: [{ effect: { kind: "huge", bytes: 1000 } }],
  });
  expect((await client.send("m1")).result.artifacts).toBeUndefined();
});

test("file and url-part add their parts to the answer", async () => {
  const client = await setup({
    faults: [
      { effect: { kind: "file", name: "a.pdf", mediaType: "application/pdf", bytes: 5 } },
      { effect: { kind: "url-part", url: "https://example.com/b.pdf" } },
    ],
  });
  const [, file, url] = (await client.send("m1")).result.artifacts[0].parts;
  expect(file).toMatchObject({ filename: "a.pdf", mediaType: "application/pdf" });
  expect(Buffer.from(file.raw, "base64")).toHaveLength(5);
  expect(url.url).toBe("https://example.com/b.pdf");
});

async function collectStates(seed: number): Promise<string> {
  const client = await setup({
    seed,
    faults: [{ match: { share: 0.3 }, effect: { kind: "end", state: "FAILED" } }],
  });
  const states: string[] = [];
  for (let row = 0; row < 40; row += 1) {
    // Other messageIds in each run, as real runs have them.
    const sent = await client.send(crypto.randomUUID(), `Name: Firma ${row}`);
    states.push(sent.result.status.state);
  }
  return states.join();
}

test("the same seed and the same calls meet the same faults; another seed meets others", async () => {
  const first = await collectStates(1);
  expect(await collectStates(1)).toBe(first);
  expect(await collectStates(2)).not.toBe(first);
});
