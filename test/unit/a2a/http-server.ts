import { once } from "node:events";
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { createServer } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { createServer as createTcpServer } from "node:net";
import { onTestFinished } from "vitest";

/** A request as a server saw it. */
interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

export interface TestServer {
  /** `http://127.0.0.1:<port>` */
  readonly origin: string;
  readonly port: number;
  readonly seen: readonly SeenRequest[];
  readonly connectionCount: () => number;
}

export type Answer = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** Starts an HTTP server on a free loopback port; it is closed, with its sockets, at the end of the test. */
export async function serve(answer: Answer): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  let connections = 0;
  const listener: RequestListener = (message, response) => {
    const chunks: Buffer[] = [];
    message.on("data", (chunk: Buffer) => chunks.push(chunk));
    message.on("end", () => {
      const { method = "", url = "", headers } = message;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString("utf8") };
      seen.push(request);
      void answer(request, response);
    });
  };
  const server = createServer(listener);
  server.on("connection", () => {
    connections += 1;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, port, seen, connectionCount: () => connections };
}

/** Starts a TCP server that hands every socket to `onSocket` once the first bytes have come. */
export async function serveRaw(onSocket: (socket: Socket) => void): Promise<{ origin: string }> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.once("data", () => onSocket(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, "close");
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

/** A port on which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** A promise that is opened from outside. */
export interface Latch {
  readonly opened: Promise<void>;
  open(): void;
}

export function createLatch(): Latch {
  let open: (() => void) | undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open?.() };
}
