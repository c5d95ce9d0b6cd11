import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import { createSandbox } from "../../../src/sandbox/agent.ts";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";
import { createStepHarness } from "../../helpers/step-harness.ts";

type Rule = NonNullable<SandboxOptions["faults"]>[number];
type Effect = Rule["effect"];

const http = (status: number): Effect => ({ kind: "http", status, body: "<p>gateway</p>" });
const rpc = (code: number): Effect => ({ kind: "rpc-error", code, message: "Not now." });

/** Faults of SendMessage that leave open whether anything was paid for. */
const UNKNOWN_OUTCOME = [
  { fault: "-32603", effect: rpc(-32603), reason: "AGENT_UNAVAILABLE", code: "-32603" },
  { fault: "-32000", effect: rpc(-32000), reason: "AGENT_UNAVAILABLE", code: "-32000" },
  { fault: "-32006", effect: rpc(-32006), reason: "AGENT_UNAVAILABLE", code: "-32006" },
  { fault: "HTTP 408", effect: http(408), reason: "AGENT_UNAVAILABLE", code: "408" },
  { fault: "HTTP 425", effect: http(425), reason: "AGENT_UNAVAILABLE", code: "425" },
  { fault: "HTTP 500", effect: http(500), reason: "AGENT_UNAVAILABLE", code: "500" },
  { fault: "HTTP 502", effect: http(502), reason: "AGENT_UNAVAILABLE", code: "502" },
  { fault: "HTTP 503", effect: http(503), reason: "AGENT_UNAVAILABLE", code: "503" },
  { fault: "HTTP 504", effect: http(504), reason: "AGENT_UNAVAILABLE", code: "504" },
  { fault: "a reset", effect: { kind: "reset" }, reason: "AGENT_UNAVAILABLE", code: "" },
  { fault: "an unreadable 200", effect: { kind: "malformed" }, reason: "PROTOCOL_ERROR", code: "" },
  { fault: "HTML", effect: http(200), reason: "PROTOCOL_ERROR", code: "" },
  { fault: "a foreign id", effect: { kind: "wrong-id" }, reason: "PROTOCOL_ERROR", code: "" },
] as const;

const onSend = (effect: Effect, match: Rule["match"] = {}): SandboxOptions => ({
  faults: [{ match: { method: "SendMessage", ...match }, effect }],
});

describe.each(UNKNOWN_OUTCOME)("$fault to a SendMessage", ({ effect, reason, code }) => {
  test("the same message is sent again, and its task followed", async () => {
    const harness = await createStepHarness({ sandbox: onSend(effect, { nth: 1 }) });
    expect(await harness.through()).toMatchObject({ kind: "succeeded", attempts: 2, polls: 1 });
    expect(harness.calls()).toEqual({ SendMessage: 2, GetTask: 1, CancelTask: 0 });
    expect(harness.sandbox.stats()).toMatchObject({ repeatedMessageIds: 1, tasks: 1 });
    const counts = { sendMessageCalls: 2, retries: 1, rateLimited: 0, succeeded: 1, pending: 0 };
    expect(await harness.run.progress()).toMatchObject(counts);
  });

  test("it is tried so often as is allowed, then the row fails", async () => {
    const harness = await createStepHarness({ sandbox: onSend(effect) });
    expect(await harness.through()).toMatchObject({
      kind: "failed",
      stage: "submit",
      reason,
      code,
      attempts: 3,
      taskId: "",
    });
    expect(harness.calls()).toEqual({ SendMessage: 3, GetTask: 0, CancelTask: 0 });
    const counts = { sendMessageCalls: 3, retries: 2, failed: 1, pending: 0, open: 0 };
    expect(await harness.run.progress()).toMatchObject(counts);
    expect(await harness.run.record.failures()).toEqual({ [reason]: 1 });
  });
});

describe("a SendMessage that has no answer in time", () => {
  const settings = { requestTimeoutMs: 100, attempts: 6 };

  test("it is repeated once, which is enough when only the answer was lost", async () => {
    const harness = await createStepHarness({
      settings,
      sandbox: onSend({ kind: "hang", after: true }, { nth: 1 }),
    });
    expect(await harness.through()).toMatchObject({ kind: "succeeded", attempts: 2 });
    expect(harness.sandbox.stats()).toMatchObject({ tasks: 1, repeatedMessageIds: 1 });
  });

  test("it is not paid for six times: after the second the row fails", async () => {
    const harness = await createStepHarness({ settings, sandbox: onSend({ kind: "hang" }) });
    expect(await harness.through()).toMatchObject({ reason: "AGENT_UNAVAILABLE", attempts: 2 });
    expect(harness.calls().SendMessage).toBe(2);
  });

  test("when the first five sends all had none, the work is stopped", async () => {
    const harness = await createStepHarness({
      settings,
      total: 5,
      sandbox: onSend({ kind: "hang" }),
    });
    for (const row of [1, 2, 3, 4, 5]) harness.add(row);
    for (let sends = 1; sends <= 4; sends += 1) await harness.step();
    expect(harness.stops).toEqual([]);
    await harness.step();
    expect(harness.stops).toMatchObject([{ kind: "blocking-agent" }]);
    expect(await harness.run.progress()).toMatchObject({ pending: 5, failed: 0 });
  });

  test("one answer among the first sends shows that the agent does answer", async () => {
    const harness = await createStepHarness({
      settings,
      total: 7,
      sandbox: { faults: [{ match: { from: 2 }, effect: { kind: "hang" } }] },
    });
    for (const row of [1, 2, 3, 4, 5, 6, 7]) harness.add(row);
    for (let sends = 1; sends <= 7; sends += 1) await harness.step();
    expect(harness.stops).toEqual([]);
  });
});

describe("an agent that asks to wait", () => {
  const RETRY_INFO = [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "0.4s" }];

  test.each<{ answer: string; effect: Effect; waitMs: number }>([
    { answer: "429 with Retry-After", effect: { kind: "throttle", retryAfter: "1" }, waitMs: 950 },
    { answer: "429 alone", effect: { kind: "throttle" }, waitMs: 950 },
    {
      answer: "503 with Retry-After",
      effect: { kind: "http", status: 503, headers: { "retry-after": "1" } },
      waitMs: 950,
    },
    {
      answer: "-32603 with RetryInfo",
      effect: { kind: "rpc-error", code: -32603, data: RETRY_INFO },
      waitMs: 390,
    },
  ])("$answer closes the gate and uses no attempt", async ({ effect, waitMs }) => {
    const harness = await createStepHarness({
      settings: { attempts: 1 },
      sandbox: onSend(effect, { nth: 1 }),
    });
    harness.add(1);
    const outcome = await harness.step();
    const closedAtMs = performance.now();
    expect(outcome).toMatchObject({ kind: "again", delayMs: 0, data: { sends: 1, spent: [] } });
    await harness.step();
    expect(performance.now() - closedAtMs).toBeGreaterThan(waitMs);
    await harness.finish();
    const counts = { rateLimited: 1, sendMessageCalls: 2, retries: 1, succeeded: 1 };
    expect(await harness.run.progress()).toMatchObject(counts);
  });
});

/** A loopback port that nobody listens on. */
async function closedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

describe("an agent that cannot be reached", () => {
  test("what was never written uses no attempt and is not counted as sent", async () => {
    const port = await closedPort();
    const harness = await createStepHarness({
      settings: { attempts: 1 },
      endpoint: `http://127.0.0.1:${port}/`,
    });
    harness.add(1);
    for (let calls = 0; calls < 3; calls += 1) {
      const outcome = await harness.step();
      expect(outcome).toMatchObject({ kind: "again", data: { sends: 0, spent: [] } });
    }
    expect(await harness.run.progress()).toMatchObject({ sendMessageCalls: 0, retries: 0 });
    expect(await harness.run.ledger.states([1])).toEqual([{ kind: "unsent" }]);

    const late = createSandbox({ port, duration: { kind: "fixed", ms: 0 } });
    await late.start();
    try {
      await harness.finish();
    } finally {
      await late.stop();
    }
    expect(await harness.run.outcomes()).toMatchObject([{ kind: "succeeded", attempts: 1 }]);
    expect(await harness.run.progress()).toMatchObject({ sendMessageCalls: 1, retries: 0 });
  });

  test("ten calls that never left open the breaker, whatever the row", async () => {
    const harness = await createStepHarness({
      endpoint: `http://127.0.0.1:${await closedPort()}/`,
    });
    harness.add(1);
    for (let calls = 0; calls < 10; calls += 1) await harness.step();
    expect(harness.deps.gate.condition().awaySinceMs).toBeDefined();
  });

  test("attempts that an outage took are given back", async () => {
    const harness = await createStepHarness({
      total: 5,
      settings: { attempts: 3 },
      sandbox: {
        faults: [
          { match: { method: "SendMessage", to: 11 }, effect: http(503) },
          // After a good answer: for rows that had failed twice it would be the third time.
          { match: { method: "SendMessage", from: 13, to: 15 }, effect: http(503) },
        ],
      },
    });
    for (const row of [1, 2, 3, 4, 5]) harness.add(row);
    await harness.finish();
    const outcomes = await harness.run.outcomes();
    expect(outcomes.map(({ kind }) => kind)).toEqual(Array.from({ length: 5 }, () => "succeeded"));
    expect(Math.max(...outcomes.map(({ attempts }) => attempts))).toBeGreaterThanOrEqual(3);
    expect(harness.calls().SendMessage).toBe(19);
  });

  test("with few rows left attempts decide, for they may be the rows' own fault", async () => {
    const harness = await createStepHarness({ total: 2, sandbox: onSend(http(503)) });
    for (const row of [1, 2]) harness.add(row);
    await harness.finish();
    expect(harness.calls().SendMessage).toBe(6);
    expect(await harness.run.progress()).toMatchObject({ failed: 2 });
  });
});

describe("an agent that refuses the message", () => {
  test.each([
    { fault: "-32602", effect: rpc(-32602), code: "-32602" },
    { fault: "-32600", effect: rpc(-32600), code: "-32600" },
    { fault: "-32700", effect: rpc(-32700), code: "-32700" },
    { fault: "-32005", effect: rpc(-32005), code: "-32005" },
    { fault: "-32001", effect: rpc(-32001), code: "-32001" },
    { fault: "an unlisted code", effect: rpc(-31999), code: "-31999" },
    { fault: "HTTP 400", effect: http(400), code: "400" },
    { fault: "HTTP 413", effect: http(413), code: "413" },
    { fault: "HTTP 415", effect: http(415), code: "415" },
    { fault: "HTTP 422", effect: http(422), code: "422" },
  ])("$fault fails the row at once", async ({ effect, code }) => {
    const harness = await createStepHarness({ sandbox: onSend(effect) });
    expect(await harness.through()).toMatchObject({
      kind: "failed",
      stage: "submit",
      reason: "AGENT_REFUSED",
      code,
      attempts: 1,
    });
    expect(harness.calls()).toEqual({ SendMessage: 1, GetTask: 0, CancelTask: 0 });
    expect(await harness.run.progress()).toMatchObject({ failed: 1, retries: 0, pending: 0 });
  });

  test("when the first twenty rows were all refused the run is stopped", async () => {
    const harness = await createStepHarness({ total: 30, sandbox: onSend(rpc(-32602)) });
    for (let row = 1; row <= 30; row += 1) harness.add(row);
    for (let row = 1; row <= 19; row += 1) await harness.step();
    expect((await harness.run.progress()).status).toBe("running");
    await harness.finish();
    expect(harness.calls().SendMessage).toBe(20);
    const stopped = { status: "stopping", statusReason: "refused", failed: 20, pending: 10 };
    expect(await harness.run.progress()).toMatchObject(stopped);
  });

  test("one accepted row shows that the agent takes such messages", async () => {
    const harness = await createStepHarness({
      total: 30,
      sandbox: { faults: [{ match: { method: "SendMessage", from: 2 }, effect: rpc(-32602) }] },
    });
    for (let row = 1; row <= 30; row += 1) harness.add(row);
    await harness.finish();
    const counts = { status: "running", failed: 29, succeeded: 1 };
    expect(await harness.run.progress()).toMatchObject(counts);
  });
});

describe("a call after which no other can succeed", () => {
  test.each([
    { fault: "HTTP 401", effect: http(401), kind: "credentials" },
    { fault: "HTTP 402", effect: http(402), kind: "credentials" },
    { fault: "HTTP 403", effect: http(403), kind: "credentials" },
    { fault: "-31401", effect: rpc(-31401), kind: "credentials" },
    { fault: "-31403", effect: rpc(-31403), kind: "credentials" },
    { fault: "-32601", effect: rpc(-32601), kind: "wrong-agent" },
    { fault: "-32009", effect: rpc(-32009), kind: "wrong-agent" },
    { fault: "-32008", effect: rpc(-32008), kind: "wrong-agent" },
    { fault: "HTTP 404", effect: http(404), kind: "wrong-agent" },
    { fault: "HTTP 405", effect: http(405), kind: "wrong-agent" },
    {
      fault: "a redirect",
      effect: { kind: "http", status: 307, headers: { location: "/elsewhere" } },
      kind: "wrong-agent",
    },
  ] as const)("$fault stops this process ($kind) and leaves the row pending", async (expected) => {
    const harness = await createStepHarness({ sandbox: onSend(expected.effect) });
    harness.add(1);
    const outcome = await harness.step();
    expect(outcome).toMatchObject({ kind: "again", data: { sends: 0, spent: [] } });
    expect(harness.stops).toMatchObject([{ kind: expected.kind }]);
    expect(harness.calls().SendMessage).toBe(1);
    expect(await harness.run.progress()).toMatchObject({ pending: 1, failed: 0 });
  });
});

describe("an answer that is too large", () => {
  test("a first answer beyond the bound fails the row at once", async () => {
    const harness = await createStepHarness({
      settings: { maxResponseBytes: 5_000 },
      sandbox: {
        blocking: "ignore-flag",
        faults: [{ effect: { kind: "huge", bytes: 6_000 } }],
      },
    });
    expect(await harness.through()).toMatchObject({
      stage: "submit",
      reason: "RESULT_TOO_LARGE",
      attempts: 1,
    });
    expect(harness.calls().SendMessage).toBe(1);
  });
});
