import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createTransport } from "../../../src/a2a/transport.ts";
import { freePort, json, serve } from "./http-server.ts";
import { TEST_CERTIFICATE_PEM, TEST_KEY_PEM } from "./tls-certificate.ts";
import { failureOf, setup } from "./transport-setup.ts";

function temporaryFile(content: string): string {
  const folder = mkdtempSync(join(tmpdir(), "onboard-batch-ca-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "ca.pem");
  writeFileSync(file, content);
  return file;
}

async function serveTls(): Promise<string> {
  const server = createTlsServer({ key: TEST_KEY_PEM, cert: TEST_CERTIFICATE_PEM }, (_, response) =>
    json(response, { secure: true }),
  );
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** A proxy that opens tunnels to `target` whatever host is asked for, or refuses them. */
async function serveProxy(target: number | "refuses") {
  const asked: string[] = [];
  const server = createHttpServer();
  server.on("connect", (request, socket) => {
    asked.push(request.url ?? "");
    socket.on("error", () => socket.destroy());
    if (target === "refuses") {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
      return;
    }
    const tunnel = connect(target, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      tunnel.pipe(socket).pipe(tunnel);
    });
    tunnel.on("error", () => socket.destroy());
    onTestFinished(() => {
      tunnel.destroy();
      socket.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    await once(server, "close");
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, settings: { httpProxy: url, httpsProxy: url, noProxy: "" } };
}

it("tells a certificate that does not verify from everything else", async () => {
  const failure = await failureOf(setup().send(await serveTls()));
  expect(failure).toMatchObject({ kind: "not-written", cause: "tls" });
});

describe("a file of authorities", () => {
  it("makes a server of that authority trusted", async () => {
    const { send } = setup({ caFile: temporaryFile(TEST_CERTIFICATE_PEM) });
    expect(await send(await serveTls())).toMatchObject({ status: 200, body: '{"secure":true}' });
  });

  it("that is missing or holds no certificate is a user's mistake", () => {
    expect(() => createTransport({ caFile: "/nowhere/ca.pem" })).toThrow(/agent\.caFile/);
    const caFile = temporaryFile("not a certificate");
    expect(() => createTransport({ caFile })).toThrow(/holds no certificate/);
  });
});

describe("a proxy", () => {
  it("carries calls to other hosts", async () => {
    const server = await serve((_, response) => json(response, { by: "proxy" }));
    const { asked, settings } = await serveProxy(server.port);
    const { send } = setup({ proxy: settings });
    expect(await send("http://agent.invalid/")).toMatchObject({ body: '{"by":"proxy"}' });
    expect(asked).toEqual(["agent.invalid:80"]);
  });

  it("carries TLS to other hosts, checked by the same authorities", async () => {
    const target = Number(new URL(await serveTls()).port);
    const { settings } = await serveProxy(target);
    const { send } = setup({ proxy: settings, caFile: temporaryFile(TEST_CERTIFICATE_PEM) });
    const failure = await failureOf(send("https://agent.invalid/"));
    expect(failure).toMatchObject({
      kind: "not-written",
      cause: "tls",
      message: expect.stringContaining("ERR_TLS_CERT_ALTNAME_INVALID"),
    });
  });

  it("is never used for loopback", async () => {
    const server = await serve((_, response) => json(response, {}));
    const { asked, settings } = await serveProxy("refuses");
    const { send } = setup({ proxy: settings });
    expect(await send(server.origin)).toMatchObject({ status: 200 });
    expect(asked).toEqual([]);
  });

  it("is not used for hosts that are excepted", async () => {
    const { asked, settings } = await serveProxy("refuses");
    const { send } = setup({ proxy: { ...settings, noProxy: "agent.invalid" } });
    expect(await failureOf(send("http://agent.invalid/"))).toMatchObject({ kind: "not-written" });
    expect(asked).toEqual([]);
  });

  it("that refuses or is not there leaves the request unwritten", async () => {
    const { settings } = await serveProxy("refuses");
    const gone = `http://127.0.0.1:${await freePort()}`;
    for (const proxy of [settings, { httpProxy: gone, httpsProxy: gone, noProxy: "" }]) {
      const { send } = setup({ proxy });
      for (const url of ["https://agent.invalid/", "http://agent.invalid/"]) {
        const failure = await failureOf(send(url));
        expect(failure).toMatchObject({ kind: "not-written", cause: "proxy" });
      }
    }
  });

  it("that is empty is none, whatever the environment says", async () => {
    const { asked, settings } = await serveProxy("refuses");
    const before = process.env["HTTP_PROXY"];
    process.env["HTTP_PROXY"] = settings.httpProxy;
    onTestFinished(() => {
      if (before === undefined) delete process.env["HTTP_PROXY"];
      else process.env["HTTP_PROXY"] = before;
    });
    const { send } = setup({ proxy: { httpProxy: "", httpsProxy: "", noProxy: "" } });
    await send("http://agent.invalid/");
    expect(asked).toEqual([]);
  });
});
