import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { AgentCard } from "@a2a-js/sdk";
import { DefaultRequestHandler, InMemoryTaskStore } from "@a2a-js/sdk/server";
import { agentCardHandler, jsonRpcHandler, UserBuilder } from "@a2a-js/sdk/server/express";
import express from "express";
import { ScriptedExecutor } from "./sdk-peer-executor.ts";

export interface SdkPeerOptions {
  /** Versions of its JSON-RPC interfaces (default 1.0). */
  readonly versions?: readonly string[];
  /** The versions in the card it shows, where they differ from those it speaks. */
  readonly shownVersions?: readonly string[];
  /** Its layer for clients of 0.3. */
  readonly legacyCompat?: boolean;
  /** As a proxy that drops the version header of each request. */
  readonly dropsVersionHeader?: boolean;
  /** Each so-many-th message ends with its HTTP 500; none by default. */
  readonly breaksEvery?: number;
}

/** The server of the official SDK, scripted by the partners' names. */
export interface SdkPeer {
  readonly url: string;
  /** How often a message with this partner's name was executed. */
  executions(name: string): number;
  /** Messages that ended with its HTTP 500. */
  readonly brokenSends: number;
  /** The name a task was made for, as the server itself has it; undefined for an unknown task. */
  nameOfTask(taskId: string): string | undefined;
  /** As a new process: every task is forgotten. */
  restart(): void;
  stop(): Promise<void>;
}

const MOUNT = "/a2a/agent";

/** Starts the server on a free port of loopback; whoever starts it stops it. */
export async function startSdkPeer(options: SdkPeerOptions = {}): Promise<SdkPeer> {
  const { versions = ["1.0"], shownVersions = versions, breaksEvery = 0 } = options;
  const app = express();
  const server = app.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}${MOUNT}/`;
  const executor = new ScriptedExecutor();
  const legacyCompat = { enabled: options.legacyCompat === true };
  let sends = 0;
  let brokenSends = 0;

  const userBuilder: UserBuilder = (request) => {
    if ((request.body as { method?: string }).method === "SendMessage") sends += 1;
    else return UserBuilder.noAuthentication();
    if (breaksEvery === 0 || sends % breaksEvery !== 0) return UserBuilder.noAuthentication();
    brokenSends += 1;
    throw new Error("the user directory is away");
  };
  const createRpc = (): ReturnType<typeof jsonRpcHandler> =>
    jsonRpcHandler({
      requestHandler: new DefaultRequestHandler(
        cardOf(url, versions),
        new InMemoryTaskStore(),
        executor,
      ),
      userBuilder,
      legacyCompat,
    });
  let rpc = createRpc();

  const shown = cardOf(url, shownVersions);
  const cardProvider = async (): Promise<AgentCard> =>
    legacyCompat.enabled ? shown : (AgentCard.toJSON(shown) as AgentCard);
  app.use(
    `${MOUNT}/.well-known/agent-card.json`,
    agentCardHandler({ agentCardProvider: cardProvider, legacyCompat }),
  );
  app.use(MOUNT, (request, response, next) => {
    if (options.dropsVersionHeader === true) delete request.headers["a2a-version"];
    void rpc(request, response, next);
  });

  return {
    url,
    executions: (name) => executor.names.filter((one) => one === name).length,
    get brokenSends() {
      return brokenSends;
    },
    nameOfTask: (taskId) => executor.tasks.get(taskId),
    restart: () => {
      executor.tasks.clear();
      rpc = createRpc();
    },
    stop: async () => {
      executor.stop();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

function cardOf(url: string, versions: readonly string[]): AgentCard {
  return {
    name: "Scripted peer",
    description: "Does what the partner's name says.",
    version: "1.0.0",
    supportedInterfaces: versions.map((protocolVersion) => ({
      url,
      protocolBinding: "JSONRPC",
      protocolVersion,
      tenant: "",
    })),
    provider: undefined,
    documentationUrl: undefined,
    iconUrl: undefined,
    capabilities: {
      streaming: true,
      pushNotifications: false,
      extendedAgentCard: false,
      extensions: [],
    },
    securitySchemes: {},
    securityRequirements: [],
    signatures: [],
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain"],
    skills: [],
  };
}
