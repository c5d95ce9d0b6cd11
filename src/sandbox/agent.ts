import { once } from "node:events";
import type { Server } from "node:http";
import { createServer } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context } from "hono";
import { Hono } from "hono";
import { z } from "zod";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { createCallHandler } from "./call-handler.ts";
import { createCard } from "./card.ts";
import type { SandboxOptions, SandboxSettings } from "./options.ts";
import { sandboxOptionsSchema } from "./options.ts";
import { gatewayAnswer, sendRaw } from "./respond.ts";
import type { MethodDeps } from "./send-message.ts";
import type { SandboxStats } from "./stats.ts";
import { StatsRecorder } from "./stats.ts";
import { TaskStore } from "./task-store.ts";
import { createWaits } from "./waits.ts";

interface SandboxAddress {
  /** Base URL of the agent, with a slash at its end. */
  readonly url: string;
  readonly port: number;
}

/** A simulated CDQ Genius agent. */
export interface Sandbox {
  /**
   * Listens; a second call gives the same address.
   * @throws OnboardError (exit 2) when the address cannot be had.
   */
  start(): Promise<SandboxAddress>;
  /** Closes every connection, answered or not; may be called at any time, also twice. */
  stop(): Promise<void>;
  stats(): SandboxStats;
}

type AgentEnv = { Bindings: HttpBindings };
type AgentContext = Context<AgentEnv>;

/** The agent is served at the root and at the path of the real one. */
const BASE_PATHS = ["", "/a2a/cdq-genius"];

// Longer than any client keeps an idle connection: it is then the client that closes, and no call is lost.
const KEEP_ALIVE_MS = 120_000;

function parseOptions(options: SandboxOptions): SandboxSettings {
  const parsed = sandboxOptionsSchema.safeParse(options);
  if (!parsed.success) {
    throw new OnboardError(EXIT.usage, `Sandbox options: ${z.prettifyError(parsed.error)}`);
  }
  return parsed.data;
}

function createApp(deps: MethodDeps, stats: () => SandboxStats): Hono<AgentEnv> {
  const { settings } = deps;
  const handleCall = createCallHandler(deps);
  // Not strict: a path with a slash at its end is served like the same without.
  const app = new Hono<AgentEnv>({ strict: false });

  /** Whether the caller has the key; tells it when not. */
  function authorize({ env }: AgentContext): boolean {
    const { apiKey } = settings;
    if (apiKey === undefined || env.incoming.headers["x-api-key"] === apiKey) {
      return true;
    }
    deps.stats.count("unauthorized");
    sendRaw(env.outgoing, gatewayAnswer(401, "UNAUTHORIZED"));
    return false;
  }

  async function answerPost(context: AgentContext): Promise<Response> {
    if (authorize(context)) {
      const { incoming, outgoing } = context.env;
      const body = await context.req.text();
      await handleCall({ headers: incoming.headers, body, outgoing });
    }
    return RESPONSE_ALREADY_SENT;
  }

  for (const path of BASE_PATHS) {
    app.get(`${path}/.well-known/agent-card.json`, (context) => {
      if (!authorize(context)) {
        return RESPONSE_ALREADY_SENT;
      }
      deps.stats.card();
      return context.json(createCard(settings, new URL(`${path}/`, context.req.url).href));
    });
    app.post(path, (context) => answerPost(context));
  }
  app.get("/stats", (context) => context.json(stats()));
  // The default prints to the console; what a client breaks is its own business.
  app.onError((error, context) => context.text(error.message, 500));
  return app;
}

async function listen(server: Server, { host, port }: SandboxSettings): Promise<SandboxAddress> {
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new OnboardError(EXIT.usage, `The sandbox cannot listen: ${errorText(error)}`, {
      hint: "Choose another address with --host and --port; port 0 takes any free one.",
      cause: error,
    });
  }
  const address = server.address();
  const boundPort = address !== null && typeof address === "object" ? address.port : port;
  const urlHost = host.includes(":") ? `[${host}]` : host;
  return { url: `http://${urlHost}:${boundPort}/`, port: boundPort };
}

/**
 * Makes a simulated agent (A2A 1.0 over JSON-RPC) with the faults that were ordered; nothing happens before `start`.
 * @throws OnboardError (exit 2) when the options are not what `sandboxOptionsSchema` allows.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  const settings = parseOptions(options);
  const store = new TaskStore(settings.maxTasks);
  const recorder = new StatsRecorder();
  const waits = createWaits();
  const stats = (): SandboxStats => recorder.snapshot(store.counts(Date.now()));
  const app = createApp({ settings, store, stats: recorder, waits }, stats);
  // The program around may live by the real global Request and Response.
  const listener = getRequestListener(app.fetch, { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => {
    void listener(incoming, outgoing);
  });
  let starting: Promise<SandboxAddress> | undefined;

  async function stop(): Promise<void> {
    waits.stop();
    await starting?.catch(() => undefined);
    if (server.listening) {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    }
  }

  return {
    start: () => {
      starting ??= listen(server, settings);
      return starting;
    },
    stop,
    stats,
  };
}
