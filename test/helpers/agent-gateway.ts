import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from "node:http";

/** A gateway before an agent: the agent keeps its tasks, whatever happens to the way there. */
export interface AgentGateway {
  /** Base URL of the agent behind it, with a slash at its end. */
  readonly url: string;
  /** Only this key is let in from now on; undefined lets everybody in. */
  allowKey(key: string | undefined): void;
  /** Leads to another agent from now on. */
  lead(targetUrl: string): void;
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
  let target = targetUrl;
  let allowed: string | undefined;
  const server = createServer((incoming, outgoing) => {
    if (allowed === undefined || incoming.headers["x-api-key"] === allowed) {
      pass(incoming, outgoing, { targetUrl: target, agent });
    } else {
      outgoing.writeHead(401, { "content-type": "application/json" });
      outgoing.end('{"code":40100000,"message":"UNAUTHORIZED"}');
    }
  });
  server.keepAliveTimeout = 120_000;

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
    allowKey: (key) => {
      allowed = key;
    },
    lead: (url) => {
      target = url;
    },
    cut,
    mend,
    stop: async () => {
      await cut();
      agent.destroy();
    },
  };
}

/** The headers go through as they are, Host included: the agent's card then names the gateway. */
function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { targetUrl, agent }: { readonly targetUrl: string; readonly agent: Agent },
): void {
  const { method = "GET", headers, url = "/" } = incoming;
  const onward = request(new URL(url, targetUrl), { method, headers, agent }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.on("error", () => outgoing.destroy());
  incoming.pipe(onward);
}
