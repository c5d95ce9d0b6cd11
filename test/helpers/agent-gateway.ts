import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** A call as it arrived at the gateway. */
export interface GatewayCall {
  /** JSON-RPC method; `card` for a GET. */
  readonly method: string;
  /** Of a SendMessage, else empty. */
  readonly messageId: string;
  /** The message's text, else empty. */
  readonly text: string;
  /** On the clock of `performance.now()`. */
  readonly atMs: number;
}

/** What a gateway does with a call instead of passing it on. */
export type Treatment =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /** A JSON-RPC error. */
  | { readonly kind: "rpc-error"; readonly code: number }
  /** No answer until the gateway is treated otherwise; then the connection breaks. */
  | { readonly kind: "silence" }
  /** The agent never gets it; `act` is called instead, and the connection stays as it is. */
  | { readonly kind: "keep"; readonly act: () => void }
  /** The agent gets it; `act` is called when it has answered, and its answer is kept back. */
  | { readonly kind: "keep-answer"; readonly act: () => void };

/** Undefined lets the call through. */
type Treat = (call: GatewayCall) => Treatment | undefined;

/** A gateway before an agent: the agent keeps its tasks, whatever happens to the way there. */
export interface AgentGateway {
  /** Base URL of the agent behind it, with a slash at its end. */
  readonly url: string;
  /** Every call that arrived so far, in order. */
  readonly calls: readonly GatewayCall[];
  /** Only this key is let in from now on; undefined lets everybody in. */
  allowKey(key: string | undefined): void;
  /** Leads to another agent from now on. */
  lead(targetUrl: string): void;
  /** Does this with calls from now on; without it they are let through. */
  treat(treat?: Treat): void;
  /** Breaks every connection and refuses new ones, until mend(). */
  cut(): Promise<void>;
  mend(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts a gateway before the agent at `targetUrl`.
 *
 * @param begins whether it can be reached from the start
 */
export async function startGateway(
  targetUrl: string,
  begins: "open" | "cut" = "open",
): Promise<AgentGateway> {
  const agent = new Agent({ keepAlive: true });
  const calls: GatewayCall[] = [];
  const silent = new Set<ServerResponse>();
  let target = targetUrl;
  let allowed: string | undefined;
  let treatment: Treat = letThrough;
  const server = createServer((incoming, outgoing) => {
    void receive(incoming, outgoing);
  });
  server.keepAliveTimeout = 120_000;

  async function receive(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readBody(incoming);
    const call = callOf(incoming, body);
    calls.push(call);
    const isAllowed = allowed === undefined || incoming.headers["x-api-key"] === allowed;
    const treated = isAllowed ? treatment(call) : NOT_ALLOWED;
    if (treated === undefined || treated.kind === "keep-answer") {
      pass({ incoming, body, outgoing, act: treated?.act }, { targetUrl: target, agent });
    } else if (treated.kind === "silence") silent.add(outgoing);
    else if (treated.kind === "keep") treated.act();
    else answer(outgoing, treated, body);
  }

  async function mend(): Promise<void> {
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
  }
  async function cut(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  }

  let port = 0;
  await mend();
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  ({ port } = address);
  if (begins === "cut") await cut();
  return {
    url: `http://127.0.0.1:${port}/`,
    calls,
    allowKey: (key) => {
      allowed = key;
    },
    lead: (url) => {
      target = url;
    },
    treat: (next = letThrough) => {
      treatment = next;
      for (const outgoing of silent) outgoing.destroy();
      silent.clear();
    },
    cut,
    mend,
    stop: async () => {
      await cut();
      agent.destroy();
    },
  };
}

function letThrough(): undefined {}

const NOT_ALLOWED: Treatment = {
  kind: "answer",
  status: 401,
  headers: { "content-type": "application/json" },
  body: '{"code":40100000,"message":"UNAUTHORIZED"}',
};

async function readBody(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // Whoever breaks off meanwhile wants no answer.
  incoming.on("error", () => undefined).on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise((resolve) => {
    incoming.once("close", resolve).once("end", resolve);
  });
  return Buffer.concat(chunks);
}

interface RpcRequest {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: {
    readonly message?: {
      readonly messageId?: string;
      readonly parts?: readonly { readonly text?: string }[];
    };
  };
}

function rpcOf(body: Buffer): RpcRequest {
  try {
    return JSON.parse(body.toString("utf8")) as RpcRequest;
  } catch {
    return {};
  }
}

function callOf(incoming: IncomingMessage, body: Buffer): GatewayCall {
  const { method = "", params } = rpcOf(body);
  const { messageId = "", parts = [] } = params?.message ?? {};
  const text = parts[0]?.text ?? "";
  const isCard = incoming.method === "GET";
  return { method: isCard ? "card" : method, messageId, text, atMs: performance.now() };
}

function answer(
  outgoing: ServerResponse,
  treated: Extract<Treatment, { kind: "answer" | "rpc-error" }>,
  body: Buffer,
): void {
  if (treated.kind === "answer") {
    outgoing.writeHead(treated.status, treated.headers ?? {});
    outgoing.end(treated.body ?? "");
    return;
  }
  const error = { code: treated.code, message: "Ordered by the test." };
  outgoing.writeHead(200, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ jsonrpc: "2.0", id: rpcOf(body).id, error }));
}

interface Passage {
  readonly incoming: IncomingMessage;
  readonly body: Buffer;
  readonly outgoing: ServerResponse;
  /** Keeps the answer back. */
  readonly act: (() => void) | undefined;
}

/** The headers go through as they are, Host included: the agent's card then names the gateway. */
function pass(
  { incoming, body, outgoing, act }: Passage,
  { targetUrl, agent }: { readonly targetUrl: string; readonly agent: Agent },
): void {
  const { method = "GET", headers, url = "/" } = incoming;
  const onward = request(new URL(url, targetUrl), { method, headers, agent }, (reply) => {
    if (act === undefined) {
      outgoing.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(outgoing);
    } else {
      reply.resume().once("end", act);
    }
  });
  onward.on("error", () => outgoing.destroy());
  onward.end(body);
}
