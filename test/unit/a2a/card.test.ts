import { describe, expect, it, onTestFinished } from "vitest";
import { readAgentCard } from "../../../src/a2a/card.ts";
import { createTransport } from "../../../src/a2a/transport.ts";
import type { Answer } from "./http-server.ts";
import { freePort, json, serve, serveRaw } from "./http-server.ts";

const PATH = "/a2a/cdq-genius";

/** Reads a card from `agentUrl`. */
function read(agentUrl: string, requestTimeoutMs = 20_000) {
  const transport = createTransport();
  onTestFinished(() => transport.close());
  const { signal } = new AbortController();
  const maxResponseBytes = 1_000_000;
  const apiKey = "k-1";
  return readAgentCard({ transport, agentUrl, apiKey, requestTimeoutMs, maxResponseBytes, signal });
}

async function readFrom(answer: Answer) {
  const server = await serve(answer);
  return { server, reading: await read(server.origin + PATH) };
}

/** Reads a card made for the origin it is served at. */
async function readCard(cardOf: (origin: string) => unknown) {
  const { server, reading } = await readFrom((request, response) =>
    json(response, cardOf(`http://${request.headers.host}`)),
  );
  return { origin: server.origin, reading };
}

const FLAT = {
  protocolVersion: "1.0",
  name: "CDQ Genius",
  version: "1.0.0",
  preferredTransport: "JSONRPC",
  capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: false },
  defaultInputModes: ["text/plain"],
  defaultOutputModes: ["text/plain"],
  skills: [],
};

const RPC = { protocolBinding: "JSONRPC", protocolVersion: "1.0", tenant: "" };

describe("the request for the card", () => {
  it.each([PATH, `${PATH}/`])("goes below the base %s, with the key", async (path) => {
    const server = await serve((_, response) => json(response, {}));
    await read(server.origin + path);
    expect(server.seen).toMatchObject([
      {
        method: "GET",
        url: "/a2a/cdq-genius/.well-known/agent-card.json",
        headers: { "x-api-key": "k-1", "a2a-version": "1.0", accept: "application/json" },
      },
    ]);
    expect(server.seen[0]?.headers).not.toHaveProperty("content-type");
  });
});

describe("a card that can be used", () => {
  it("may be flat, as CDQ's", async () => {
    const { origin, reading } = await readCard((at) => ({ ...FLAT, url: `${at}${PATH}/` }));
    expect(reading).toEqual({
      kind: "ready",
      endpoint: `${origin}${PATH}/`,
      tenant: "",
      name: "CDQ Genius",
      warnings: [],
    });
  });

  it("may list interfaces, of which the first JSON-RPC 1.0 is taken, as given", async () => {
    const { origin, reading } = await readCard((at) => ({
      name: "Scripted",
      supportedInterfaces: [
        { ...RPC, url: `${at}/grpc`, protocolBinding: "GRPC" },
        { ...RPC, url: `${at}/old`, protocolVersion: "0.3" },
        { ...RPC, url: `${at}/new`, protocolBinding: "jsonrpc", protocolVersion: "1.0.1" },
        { ...RPC, url: `${at}/newer` },
      ],
    }));
    expect(reading).toMatchObject({ kind: "ready", endpoint: `${origin}/new`, warnings: [] });
  });

  it("may be both, as compatibility layers make them: the list wins", async () => {
    const { origin, reading } = await readCard((at) => ({
      ...FLAT,
      protocolVersion: "0.3",
      url: `${at}/flat`,
      supportedInterfaces: [{ ...RPC, url: `${at}/listed` }],
    }));
    expect(reading).toMatchObject({ kind: "ready", endpoint: `${origin}/listed` });
  });

  it("may be both with JSON-RPC 1.0 in the flat part alone", async () => {
    const { origin, reading } = await readCard((at) => ({
      ...FLAT,
      url: `${at}/flat`,
      supportedInterfaces: [{ ...RPC, url: `${at}/g`, protocolBinding: "GRPC" }],
    }));
    expect(reading).toMatchObject({ kind: "ready", endpoint: `${origin}/flat` });
  });

  it("may have JSON-RPC among the further interfaces of a flat card", async () => {
    const { origin, reading } = await readCard((at) => ({
      ...FLAT,
      url: `${at}/grpc`,
      preferredTransport: "GRPC",
      additionalInterfaces: [null, { url: `${at}/rpc`, transport: "JSONRPC" }],
    }));
    expect(reading).toMatchObject({ kind: "ready", endpoint: `${origin}/rpc` });
  });

  it("may be full of nulls", async () => {
    const { origin, reading } = await readCard((at) => ({
      name: null,
      provider: null,
      capabilities: { extensions: null },
      supportedInterfaces: [null, { ...RPC, url: `${at}/x`, tenant: null }],
      preferredTransport: null,
      additionalInterfaces: null,
      skills: null,
    }));
    expect(reading).toMatchObject({ kind: "ready", endpoint: `${origin}/x`, name: "", tenant: "" });
  });

  it("may have a tenant, which is handed on", async () => {
    const { reading } = await readCard((at) => ({
      supportedInterfaces: [{ ...RPC, url: `${at}/x`, tenant: "acme" }],
    }));
    expect(reading).toMatchObject({ kind: "ready", tenant: "acme" });
  });

  it("may be silent about its version, which is worth a warning", async () => {
    const { reading } = await readCard((at) => ({ url: `${at}/x`, name: "a" }));
    expect(reading).toMatchObject({
      kind: "ready",
      warnings: ["the agent card does not name its protocol version"],
    });
  });

  it("may name extensions that are not required", async () => {
    const extensions = [{ uri: "https://x.example/ext", required: false }, null];
    const { reading } = await readCard((at) => ({
      ...FLAT,
      url: `${at}/`,
      capabilities: { extensions },
    }));
    expect(reading.kind).toBe("ready");
  });
});

describe("an endpoint that the key must not follow", () => {
  it.each([
    ["https://evil.example/a2a/", "is on another origin (https://evil.example)"],
    ["http://127.0.0.1:1/a2a/cdq-genius/", "is on another origin"],
    ["/a2a/cdq-genius/", "is no absolute URL"],
    ["rpc", "is no absolute URL"],
  ])("%s gives way to the configured one, with a warning", async (url, why) => {
    const { origin, reading } = await readCard(() => ({ ...FLAT, url }));
    expect(reading).toMatchObject({
      kind: "ready",
      endpoint: `${origin}${PATH}/`,
      warnings: [expect.stringContaining(why)],
    });
  });

  it("may also be the card's own address, or one with a password", async () => {
    const own = await readCard((at) => ({
      ...FLAT,
      url: `${at}${PATH}/.well-known/agent-card.json`,
    }));
    expect(own.reading).toMatchObject({
      endpoint: `${own.origin}${PATH}/`,
      warnings: [expect.stringContaining("is the card's own address")],
    });
    const secret = await readCard((at) => ({ ...FLAT, url: at.replace("//", "//user:pw@") }));
    expect(secret.reading).toMatchObject({
      endpoint: `${secret.origin}${PATH}/`,
      warnings: [expect.stringContaining("user name or password")],
    });
  });
});

describe("a card of another agent", () => {
  it("demands an extension", async () => {
    const extensions = [{ uri: "https://x.example/ext/v1", required: true }];
    const { reading } = await readCard((at) => ({
      ...FLAT,
      url: `${at}/`,
      capabilities: { extensions },
    }));
    expect(reading).toMatchObject({
      kind: "wrong-agent",
      message: expect.stringContaining("https://x.example/ext/v1"),
    });
  });

  it("demands an extension without a name", async () => {
    const { reading } = await readCard(() => ({
      capabilities: { extensions: [{ required: true }] },
    }));
    expect(reading).toMatchObject({
      kind: "wrong-agent",
      message: expect.stringContaining("without a name"),
    });
  });

  it.each([
    [
      "0.3 in a flat card",
      { ...FLAT, url: "http://h/", protocolVersion: "0.3.0" },
      "JSONRPC 0.3.0",
    ],
    [
      "a version still to come",
      { ...FLAT, url: "http://h/", protocolVersion: "2.0" },
      "JSONRPC 2.0",
    ],
    [
      "1.1",
      { supportedInterfaces: [{ ...RPC, url: "http://h/", protocolVersion: "1.1" }] },
      "JSONRPC 1.1",
    ],
    [
      "only another binding",
      { supportedInterfaces: [{ ...RPC, url: "http://h/", protocolBinding: "GRPC" }] },
      "GRPC 1.0",
    ],
  ])("speaks %s", async (_what, card, offer) => {
    const { reading } = await readCard(() => card);
    expect(reading).toEqual({
      kind: "wrong-agent",
      message: `the agent offers ${offer}, but not JSONRPC 1.0`,
    });
  });

  it("lies behind a redirect, which is not followed", async () => {
    const other = await serve((_, response) => json(response, {}));
    const { reading } = await readFrom((_, response) => {
      response.writeHead(302, { location: `${other.origin}/` });
      response.end();
    });
    expect(reading).toMatchObject({ kind: "wrong-agent" });
    expect(other.seen).toEqual([]);
  });
});

describe("a card that cannot be read", () => {
  it.each<[string, Answer]>([
    ["an empty object", (_, response) => json(response, {})],
    ["a list", (_, response) => json(response, [])],
    ["HTML", (_, response) => void response.end("<html>")],
    ["empty", (_, response) => void response.end()],
    ["HTTP 204", (_, response) => void response.writeHead(204).end()],
    ["HTTP 404", (_, response) => void response.writeHead(404).end("no such page")],
    ["HTTP 405", (_, response) => void response.writeHead(405).end()],
    ["HTTP 400", (_, response) => void response.writeHead(400).end("bad")],
    ["too large", (_, response) => void response.end("x".repeat(2_000_000))],
  ])("is a warning, and the configured endpoint is used: %s", async (_what, answer) => {
    const { server, reading } = await readFrom(answer);
    expect(reading).toEqual({
      kind: "unreadable",
      endpoint: `${server.origin}${PATH}/`,
      warnings: [expect.stringMatching(/^the agent card cannot be read \(.+\); calls go to http/)],
    });
  });
});

describe("an agent that refuses or is away", () => {
  it.each([401, 402, 403])("refuses the credentials with HTTP %d", async (status) => {
    const { reading } = await readFrom((_, response) => void response.writeHead(status).end());
    expect(reading).toEqual({
      kind: "credentials",
      message: `HTTP ${status}`,
    });
  });

  it.each([
    [500, "unavailable"],
    [502, "unavailable"],
    [503, "unavailable"],
    [429, "throttled"],
  ])("is away with HTTP %d", async (status, kind) => {
    const { reading } = await readFrom((_, response) => void response.writeHead(status).end());
    expect(reading).toMatchObject({ kind: "away", failure: { kind } });
  });

  it("is away when nothing listens, when it resets, and when it is silent", async () => {
    const refused = await read(`http://127.0.0.1:${await freePort()}${PATH}`);
    expect(refused).toMatchObject({ kind: "away", failure: { kind: "not-written" } });
    const resetting = await serveRaw((socket) => void socket.resetAndDestroy());
    expect(await read(resetting.origin)).toMatchObject({ kind: "away" });
    const silent = await serveRaw(() => {});
    expect(await read(silent.origin, 50)).toMatchObject({
      kind: "away",
      failure: { kind: "timed-out" },
    });
  });

  it("cannot be reached when its name is wrong: waiting would not help", async () => {
    expect(await read("http://agent.invalid/")).toMatchObject({
      kind: "unreachable",
      failure: { kind: "not-written", cause: "dns" },
    });
  });
});
