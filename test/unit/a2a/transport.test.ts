import { describe, expect, it, onTestFinished } from "vitest";
import { createLatch, freePort, json, serve, serveRaw } from "./http-server.ts";
import { failureOf, setup } from "./transport-setup.ts";

describe("an exchange", () => {
  it("gives status, headers and the whole body, and sends what it was given", async () => {
    const server = await serve((_, response) => json(response, { name: "Müller" }, 418));
    const { send } = setup();
    const reply = await send(`${server.origin}/a/b?c=d`, { body: '{"ö":1}' });
    expect(reply).toMatchObject({
      kind: "reply",
      status: 418,
      headers: { "content-type": "application/json" },
      body: '{"name":"Müller"}',
    });
    expect(server.seen).toMatchObject([
      { method: "POST", url: "/a/b?c=d", body: '{"ö":1}', headers: { "x-api-key": "k" } },
    ]);
  });

  it("puts characters together that were cut between two packets", async () => {
    const bytes = Buffer.from("ü€😀");
    const server = await serve((_, response) => {
      response.write(bytes.subarray(0, 4));
      setImmediate(() => response.end(bytes.subarray(4)));
    });
    const reply = await setup().send(server.origin);
    expect(reply).toMatchObject({ body: "ü€😀" });
  });

  it("uses a connection again", async () => {
    const server = await serve((_, response) => json(response, {}));
    const { send } = setup({ connections: 1 });
    for (let i = 0; i < 20; i += 1) await send(server.origin);
    expect(server.seen).toHaveLength(20);
    expect(server.connectionCount()).toBe(1);
  });

  it("opens no more connections than allowed", async () => {
    const server = await serve((_, response) => json(response, {}));
    const { send } = setup({ connections: 2 });
    await Promise.all(Array.from({ length: 30 }, () => send(server.origin)));
    expect(server.connectionCount()).toBe(2);
  });

  it("looks at the answer and not at what an early hint said", async () => {
    const { origin } = await serveRaw((socket) => {
      socket.write("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n");
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    });
    expect(await setup().send(origin)).toMatchObject({ status: 200, body: "{}" });
  });

  it.each([301, 302, 303, 307, 308])("does not follow a redirect (%d)", async (status) => {
    const other = await serve((_, response) => json(response, {}));
    const server = await serve((_, response) => {
      response.writeHead(status, { location: `${other.origin}/` });
      response.end();
    });
    expect(await setup().send(server.origin)).toMatchObject({ kind: "reply", status });
    expect(other.seen).toEqual([]);
  });

  it("throws for a header that no one may send, since that is a defect of ours", async () => {
    const server = await serve((_, response) => json(response, {}));
    await expect(setup().send(server.origin, { headers: { "x-api-key": "a\nb" } })).rejects.toThrow(
      /header/,
    );
    expect(server.seen).toEqual([]);
  });
});

describe("a request that was never written", () => {
  it("is told by a refused connection", async () => {
    const port = await freePort();
    expect(await failureOf(setup().send(`http://127.0.0.1:${port}/`))).toEqual({
      kind: "not-written",
      cause: "refused",
      code: "",
      message: `no connection to 127.0.0.1:${port} (ECONNREFUSED)`,
    });
  });

  it("is told by a name that does not resolve", async () => {
    const failure = await failureOf(setup().send("http://agent.invalid/"));
    expect(failure).toMatchObject({ kind: "not-written", cause: "dns" });
  });

  it("is told by a TLS greeting that is answered in plain text", async () => {
    const server = await serve((_, response) => json(response, {}));
    const failure = await failureOf(setup().send(`https://127.0.0.1:${server.port}/`));
    expect(failure).toMatchObject({ kind: "not-written", cause: "tls" });
  });

  it("is told when no connection comes in time, as in a full pool", async () => {
    const { origin } = await serveRaw(() => {});
    const { send } = setup({ connections: 1 });
    const first = failureOf(send(origin, { timeoutMs: 200 }));
    const second = failureOf(send(origin, { timeoutMs: 50 }));
    expect(await second).toMatchObject({ kind: "not-written", cause: "refused" });
    expect(await first).toMatchObject({ kind: "timed-out" });
  });
});

describe("a request that was written", () => {
  it("times out when no answer comes, and lets go of the connection", async () => {
    const closed = createLatch();
    const { origin } = await serveRaw((socket) => socket.once("close", () => closed.open()));
    expect(await failureOf(setup().send(origin, { timeoutMs: 50 }))).toMatchObject({
      kind: "timed-out",
      message: expect.stringContaining("within 50 ms"),
    });
    await closed.opened;
  });

  it("does not time out over an answer that came while its own process stood still", async () => {
    const server = await serve((_, response) => {
      json(response, { name: "late" });
      // The answer is on its way; the timer is due long before anybody can read it.
      const untilMs = performance.now() + 600;
      while (performance.now() < untilMs);
    });
    const reply = await setup().send(server.origin, { timeoutMs: 100 });
    expect(reply).toMatchObject({ kind: "reply", body: '{"name":"late"}' });
  });

  it("times out when the answer trickles in without end", async () => {
    const { origin } = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
      const timer = setInterval(() => socket.write("x"), 10);
      socket.once("close", () => clearInterval(timer));
    });
    const failure = await failureOf(setup().send(origin, { timeoutMs: 100 }));
    expect(failure).toMatchObject({ kind: "timed-out" });
  });

  it.each([
    ["nothing", ""],
    ["half a header", "HTTP/1.1 200 OK\r\nContent-Le"],
    ["half a body", 'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"jsonrpc":'],
    ["an unfinished chunk", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nabc"],
  ])("has an unknown outcome when the connection breaks after %s", async (_what, bytes) => {
    const { origin } = await serveRaw((socket) => {
      if (bytes === "") socket.resetAndDestroy();
      else socket.write(bytes, () => socket.destroy());
    });
    expect(await failureOf(setup().send(origin))).toMatchObject({ kind: "unavailable" });
  });

  it.each([
    ["something that is not HTTP", "SSH-2.0-OpenSSH_9.2\r\n"],
    ["chunks without lengths", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n"],
  ])("is a protocol failure when the answer is %s", async (_what, bytes) => {
    const { origin } = await serveRaw((socket) => socket.end(bytes));
    expect(await failureOf(setup().send(origin))).toMatchObject({ kind: "protocol" });
  });
});

describe("a body beyond its bound", () => {
  it("is not read at all when its length is announced", async () => {
    const { origin } = await serveRaw((socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 200000000\r\n\r\n");
    });
    expect(await failureOf(setup().send(origin))).toMatchObject({
      kind: "too-large",
      message: expect.stringContaining("1000000 bytes (agent.maxResponseBytes)"),
    });
  });

  it("is cut while it is read: 200 MB cost neither the time nor the memory", async () => {
    const chunk = Buffer.alloc(65_536, "x");
    let sentBytes = 0;
    const closed = createLatch();
    const server = await serve((_, response) => {
      response.once("close", () => closed.open());
      const fill = (): void => {
        while (sentBytes < 200_000_000 && !response.destroyed) {
          sentBytes += chunk.length;
          if (!response.write(chunk)) return void response.once("drain", fill);
        }
        response.end();
      };
      fill();
    });
    const before = process.memoryUsage().arrayBuffers;
    const failure = await failureOf(setup().send(server.origin));
    expect(failure).toMatchObject({ kind: "too-large" });
    await closed.opened;
    expect(sentBytes).toBeLessThan(50_000_000);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000);
  });

  it("of an error is left after its beginning, and the status still counts", async () => {
    const server = await serve((_, response) => {
      response.writeHead(502, { "content-type": "text/html", "content-length": 5_000_000 });
      response.end("<".repeat(5_000_000));
    });
    const reply = await setup().send(server.origin);
    if (reply.kind !== "reply") throw new Error(reply.failure.message);
    expect(reply.status).toBe(502);
    expect(reply.body.length).toBeLessThan(1_000_000);
    expect(reply.body).toMatch(/^<{100}/);
  });
});

describe("our own signal", () => {
  it("ends a call before anything is written", async () => {
    const server = await serve((_, response) => json(response, {}));
    const signal = AbortSignal.abort();
    expect(await failureOf(setup().send(server.origin, { signal }))).toEqual({
      kind: "aborted",
      code: "",
      message: "stopped before the request was written",
    });
    expect(server.seen).toEqual([]);
  });

  it("ends many calls in flight, without a warning about listeners", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const arrived = createLatch();
    const server = await serve(() => {
      if (server.seen.length === 20) arrived.open();
    });
    const { send } = setup();
    const controller = new AbortController();
    const { signal } = controller;
    const calls = Array.from({ length: 20 }, () => failureOf(send(server.origin, { signal })));
    await arrived.opened;
    controller.abort();
    for (const failure of await Promise.all(calls)) {
      expect(failure).toMatchObject({ kind: "aborted", message: expect.stringContaining("after") });
    }
    expect(warnings).toEqual([]);
  });

  it("writes nothing for a call that ended while it waited for a connection", async () => {
    const held = createLatch();
    const release = createLatch();
    const server = await serve(async (request, response) => {
      if (request.url === "/first") {
        held.open();
        await release.opened;
      }
      json(response, {});
    });
    const { send } = setup({ connections: 1 });
    const first = send(`${server.origin}/first`);
    await held.opened;
    const controller = new AbortController();
    const second = failureOf(send(`${server.origin}/second`, { signal: controller.signal }));
    controller.abort();
    expect(await second).toMatchObject({ kind: "aborted" });
    release.open();
    await first;
    await send(`${server.origin}/third`);
    expect(server.seen.map(({ url }) => url)).toEqual(["/first", "/third"]);
  });
});

describe("closing", () => {
  it("ends open exchanges as aborted, later ones too, and may be done twice", async () => {
    const arrived = createLatch();
    const { origin } = await serveRaw(() => arrived.open());
    const { transport, send } = setup();
    const open = failureOf(send(origin));
    await arrived.opened;
    await Promise.all([transport.close(), transport.close()]);
    expect(await open).toMatchObject({ kind: "aborted" });
    expect(await failureOf(send(origin))).toMatchObject({ kind: "aborted" });
    await transport.close();
  });
});
