import { describe, expect, type TestContext, test } from "vitest";
import type { CliEnd } from "../helpers/cli-process.ts";
import { openStage, type Stage } from "../helpers/stage.ts";
import {
  cardAnswer,
  rpcError,
  type StubAgent,
  type StubOptions,
  type StubScript,
  startStubAgent,
} from "../helpers/stub-agent.ts";
import { FAST_RATES, namesCsv, stubFor } from "../helpers/stub-run.ts";

const KEY = "a-key-that-is-secret";
const NAMES = Array.from({ length: 30 }, (_, index) => `Partner ${index + 1}`);

describe.concurrent("the base URL", () => {
  test.for([
    ["with", "/a2a/cdq-genius/", "/a2a/cdq-genius/"],
    ["without", "/a2a/cdq-genius/", "/a2a/cdq-genius"],
  ] as const)(
    "keeps its path %s a slash at its end (24: a2a-java#189, a2a-net#21, aisix#913)",
    async ([, path, base], context) => {
      const { stage, stub } = await setUp(context, {
        path,
        card: () => ({ kind: "http", status: 404, body: "" }),
      });
      stage.setEnv({ ONBOARD_BATCH_AGENT_URL: new URL(base, stub.url).href });
      const end = await runOn(stage);
      expect(end.exitCode, end.stderr).toBe(0);
      expect(cardPaths(stub)).toEqual(["/a2a/cdq-genius/.well-known/agent-card.json"]);
      expect(postPaths(stub)).toEqual(["/a2a/cdq-genius/"]);
    },
  );
});

describe.concurrent("a card whose address", () => {
  test.for([
    ["is plain http on another host", "http://agent.example/a2a/"],
    ["is this machine's, as the agent sees itself", "http://localhost:1/a2a/"],
    ["is a host inside of its network", "https://agent.internal.svc.cluster.local/a2a/"],
  ] as const)(
    "%s is not followed: a warning says so, and calls go where they were configured (25: A2A#1599, cap-js/agents#75, openclaw#150087)",
    async ([, address], context) => {
      const { stage, stub } = await setUp(context, { card: () => cardNaming(address) });
      const end = await runOn(stage);
      expect(end.exitCode, end.stderr).toBe(0);
      expect(end.stderr).toContain("the agent card's endpoint");
      expect(end.stderr).toContain(`calls go to ${stub.url}`);
      expect(postPaths(stub)).toEqual(["/agent/"]);
    },
  );

  test("is on another origin leads no key there (26: agents-cli#46)", async (context) => {
    const elsewhere = await startStubAgent();
    context.onTestFinished(() => elsewhere.stop());
    const { stage, stub } = await setUp(context, { card: () => cardNaming(elsewhere.url) });
    const end = await runOn(stage);
    expect(end.exitCode, end.stderr).toBe(0);
    expect(elsewhere.requests).toEqual([]);
    expect(stub.calls()[0]?.headers["x-api-key"]).toBe(KEY);
    expect(end.stderr).not.toContain(KEY);
  });

  test("is the card's own is not called (27: agent-framework#2386)", async (context) => {
    const { stage, stub } = await setUp(context, {
      card: (url) => cardNaming(`${url}.well-known/agent-card.json`),
    });
    const end = await runOn(stage);
    expect(end.exitCode, end.stderr).toBe(0);
    expect(postPaths(stub)).toEqual(["/agent/"]);
    expect(end.stderr).toContain("is the card's own address");
  });
});

describe.concurrent("an agent that is not at its address", () => {
  test.for([302, 307] as const)(
    "but redirects with %i gets one exit 2, and the other place no key (26: agents-cli#46)",
    async (status, context) => {
      const elsewhere = await startStubAgent();
      context.onTestFinished(() => elsewhere.stop());
      const headers = { location: elsewhere.url };
      const { stage, stub } = await setUp(
        context,
        everySend(() => ({ kind: "http", status, body: "", headers })),
      );
      const end = await runOn(stage);
      expectWrongAgent(end, stub);
      expect(end.stderr).toContain(elsewhere.url);
      expect(elsewhere.requests).toEqual([]);
      expect(await stateOf(stage)).toMatchObject({ pending: "30", failed: "0" });
    },
  );

  test.for([404, 405] as const)(
    "but answers %i to all rows gets one message, and the batch stops (27: agent-framework#2386)",
    async (status, context) => {
      const { stage, stub } = await setUp(
        context,
        everySend(() => ({ kind: "http", status, body: "not here" })),
      );
      const end = await runOn(stage);
      expectWrongAgent(end, stub);
      expect(end.stderr).toContain(`HTTP ${status}`);
      expect(await stateOf(stage)).toMatchObject({ pending: "30", failed: "0" });
    },
  );

  test("in this version gets one message that names the version (30: a2a-dotnet#331, a2a-js#474)", async (context) => {
    const { stage, stub } = await setUp(
      context,
      everySend(() => rpcError(-32009, "A2A version 1.0 is not supported")),
    );
    const end = await runOn(stage);
    expectWrongAgent(end, stub);
    expect(end.stderr).toContain("version 1.0");
    for (const { headers } of stub.calls()) expect(headers["a2a-version"]).toBe("1.0");
    expect(await stateOf(stage)).toMatchObject({ pending: "30", failed: "0" });
  });
});

describe.concurrent("a card without anything", () => {
  test.for([
    ["{}", cardAnswer({})],
    ["a web page", { kind: "http", status: 200, body: "<!doctype html>" }],
  ] as const)(
    "to read has the configured address called, with a warning: %s (29: a2a-python#1267)",
    async ([, answer], context) => {
      const { stage, stub } = await setUp(context, { card: () => answer });
      const end = await runOn(stage);
      expect(end.exitCode, end.stderr).toBe(0);
      expect(end.stderr).toContain("the agent card cannot be read");
      expect(end.stderr).toContain(`calls go to ${stub.url}`);
      expect(postPaths(stub)).toEqual(["/agent/"]);
    },
  );
});

interface CardStage {
  readonly stage: Stage;
  readonly stub: StubAgent;
}

async function setUp(context: TestContext, options: StubOptions): Promise<CardStage> {
  const stage = await openStage(context);
  stage.setEnv({ ONBOARD_BATCH_API_KEY: KEY });
  return { stage, stub: await stubFor(context, stage, options) };
}

async function runOn(stage: Stage): Promise<CliEnd> {
  const file = await stage.write("partners.csv", namesCsv(NAMES, stage.runId));
  return stage.run("run", file, ...FAST_RATES);
}

function everySend(answer: NonNullable<StubScript["SendMessage"]>): StubOptions {
  return { otherwise: { SendMessage: answer } };
}

function cardNaming(url: string): ReturnType<typeof cardAnswer> {
  return cardAnswer({
    name: "Stub",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  });
}

/** One message, and no more calls than were on the wire with the first one. */
function expectWrongAgent(end: CliEnd, stub: StubAgent): void {
  expect(end.exitCode, end.stderr).toBe(2);
  expect(end.stderr.match(/not the agent that was configured/g)).toHaveLength(1);
  expect(stub.calls().length).toBeLessThan(NAMES.length);
  const names = stub.calls().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
}

function cardPaths(stub: StubAgent): string[] {
  return [...new Set(pathsOf(stub, "GET"))];
}

function postPaths(stub: StubAgent): string[] {
  return [...new Set(pathsOf(stub, "POST"))];
}

function pathsOf({ requests }: StubAgent, method: string): string[] {
  return requests.filter((request) => request.method === method).map(({ path }) => path);
}

function stateOf({ redis, runId }: Stage): Promise<Record<string, string>> {
  return redis.hgetall(`onboard-batch:{${runId}}:progress`);
}
