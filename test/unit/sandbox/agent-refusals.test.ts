import { expect, test } from "vitest";
import { HEADERS, setup, toParams } from "./sandbox-client.ts";

test("refuses what is not a JSON-RPC request, telling the id when there is one", async () => {
  const client = await setup();
  const codeOf = async (body: string) => {
    const { error, id } = JSON.parse((await client.post(body)).text);
    return [error.code, id];
  };
  expect(await codeOf("{")).toEqual([-32700, null]);
  expect(await codeOf("[]")).toEqual([-32600, null]);
  expect(await codeOf('{"jsonrpc":"1.0","id":7,"method":"GetTask","params":{}}')).toEqual([
    -32600, 7,
  ]);
  expect(await codeOf('{"jsonrpc":"2.0","id":1.5,"method":"GetTask","params":{}}')).toEqual([
    -32600,
    null,
  ]);
  expect(await codeOf('{"jsonrpc":"2.0","id":"a","method":"message/send","params":{}}')).toEqual([
    -32601,
    "a",
  ]);
});

test("refuses other versions, other content types and undeclared extensions", async () => {
  const requiredExtension = "https://example.com/ext";
  const client = await setup({ requiredExtension });
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "GetTask", params: { id: "x" } });
  const codeFor = async (headers: Record<string, string>) =>
    JSON.parse((await client.post(body, headers)).text).error.code;
  const { "a2a-version": _version, ...unversioned } = HEADERS;
  expect(await codeFor({ ...HEADERS, "a2a-version": "0.3" })).toBe(-32009);
  expect(await codeFor(unversioned)).toBe(-32009);
  expect(await codeFor({ ...HEADERS, "content-type": "text/plain" })).toBe(-32005);
  expect(await codeFor(HEADERS)).toBe(-32008);
  const declared = `https://example.com/other, ${requiredExtension}`;
  expect(await codeFor({ ...HEADERS, "a2a-extensions": declared })).toBe(-32001);
});

test.each([
  ["an unknown key in params", { ...toParams("m"), kind: "x" }],
  ["an unknown key in the message", { message: { ...toParams("m").message, kind: "message" } }],
  ["the old waiting flag", { ...toParams("m"), configuration: { blocking: false } }],
  ["a flag that is text", { ...toParams("m"), configuration: { returnImmediately: "false" } }],
  ["an unknown role", { message: { ...toParams("m").message, role: "user" } }],
  ["no parts", { message: { ...toParams("m").message, parts: [] } }],
  ["an empty part", { message: { ...toParams("m").message, parts: [{}] } }],
  ["two contents", { message: { ...toParams("m").message, parts: [{ text: "a", url: "b" }] } }],
  ["no messageId", { message: { role: "ROLE_USER", parts: [{ text: "a" }] } }],
])("refuses %s as a strict reader would", async (_what, params) => {
  const client = await setup();
  const { error } = await client.call("SendMessage", params);
  expect(error).toMatchObject({
    code: -32602,
    message: expect.stringMatching(/^Invalid request content: /),
    data: [{ reason: "INVALID_PARAMS", domain: "a2a-protocol.org" }],
  });
  expect(client.sandbox.stats()).toMatchObject({ tasks: 0, refused: 1 });
});

test("refuses bad parameters of the task methods and push notifications", async () => {
  const client = await setup();
  expect((await client.call("GetTask", { id: "" })).error.code).toBe(-32602);
  expect((await client.call("CancelTask", { taskId: "x" })).error.code).toBe(-32602);
  const configuration = { taskPushNotificationConfig: { url: "https://example.com" } };
  const { error } = await client.call("SendMessage", { ...toParams("m"), configuration });
  expect(error.code).toBe(-32003);
});

test("demands the key on the card and on the calls when one is set", async () => {
  const client = await setup({ apiKey: "secret" });
  const card = new URL(".well-known/agent-card.json", client.url);
  expect((await fetch(card)).status).toBe(401);
  expect((await client.post("{}")).status).toBe(401);
  const key = { "x-api-key": "secret" };
  expect((await fetch(card, { headers: key })).status).toBe(200);
  expect((await client.post("{}", { ...HEADERS, ...key })).status).toBe(200);
  expect(client.sandbox.stats()).toMatchObject({
    unauthorized: 2,
    calls: { card: 1, SendMessage: 0 },
  });
});

test("the limit lets so many sends through and tells when to come again", async () => {
  const client = await setup({ limit: { sendPerSecond: 0.05, windowMs: 1000 } });
  expect((await client.send("m1")).result.id).toBeTypeOf("string");
  const body = JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    method: "SendMessage",
    params: toParams("m2"),
  });
  const refused = await client.post(body);
  expect(refused.status).toBe(429);
  const seconds = Number(refused.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(10);
  expect(seconds).toBeLessThanOrEqual(20);
  expect(client.sandbox.stats()).toMatchObject({
    throttled: 1,
    tasks: 1,
    calls: { SendMessage: 2 },
  });
});
