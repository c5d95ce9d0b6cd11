import path from "node:path";
import { assertAllowedUrl } from "./a2a/agent-url.ts";
import { createTransport } from "./a2a/transport.ts";
import type { LoadedConfig } from "./config/resolve-config.ts";
import type { Log } from "./core/log.ts";
import type { RedisHandle } from "./redis/connect.ts";
import { connectRedis } from "./redis/connect.ts";
import { openManagedRedis } from "./redis/managed.ts";
import { withinLimit } from "./redis/time-limit.ts";
import type { AgentAccess } from "./runs/run-context.ts";
import { createSandbox } from "./sandbox/agent.ts";

/** The parts of a command that have a lifetime: opened when first asked for, closed in reverse. */
export interface App {
  readonly openRedis: () => Promise<RedisHandle>;
  readonly openAgent: () => Promise<AgentAccess>;
  /** Whether an open Redis has stopped answering, also without the connection being lost. */
  isRedisLost(): Promise<boolean>;
  /** Calls to the agent that have no answer yet. */
  callsInFlight(): number;
  close(): Promise<void>;
}

export interface AppDeps {
  readonly loaded: LoadedConfig;
  readonly cwd: string;
  readonly log: Log;
  /** Lines for people. */
  readonly warn: (text: string) => void;
}

/** Puts a command's parts together; the only place that knows which implementation is behind each. */
export function createApp(deps: AppDeps): App {
  const closers: (() => Promise<void>)[] = [];
  let redis: Promise<RedisHandle> | undefined;
  let agent: Promise<AgentAccess> | undefined;
  let opened: Opened = {};

  return {
    openRedis: () =>
      (redis ??= openRedis(deps, closers).then((handle) => {
        opened = { ...opened, redis: handle };
        return handle;
      })),
    openAgent: () =>
      (agent ??= openAgent(deps, closers).then((access) => {
        opened = { ...opened, agent: access };
        return access;
      })),
    isRedisLost: async () => opened.redis !== undefined && !(await answers(opened.redis)),
    callsInFlight: () => opened.agent?.transport.inFlightCount() ?? 0,
    async close() {
      for (const close of closers.toReversed()) await close();
    },
  };
}

interface Opened {
  readonly redis?: RedisHandle;
  readonly agent?: AgentAccess;
}

const PING_LIMIT_MS = 1_000;

async function answers({ client }: RedisHandle): Promise<boolean> {
  if (client.status !== "ready") return false;
  const ping = client.ping().catch(() => undefined);
  return (await withinLimit(ping, PING_LIMIT_MS)).kind === "done";
}

type Closers = (() => Promise<void>)[];

async function openRedis({ loaded, log }: AppDeps, closers: Closers): Promise<RedisHandle> {
  const { config, machine } = loaded;
  let { url } = config.redis;
  if (url === "managed") {
    const managed = await openManagedRedis({
      stateDir: path.join(machine.stateDir, "redis"),
      searchPath: machine.searchPath,
      binary: machine.redisServer,
      log,
    });
    closers.push(() => managed.close());
    ({ url } = managed);
  }
  const handle = await connectRedis({ url, force: config.terminal.force, log });
  closers.push(() => handle.close());
  return handle;
}

async function openAgent({ loaded, cwd, warn }: AppDeps, closers: Closers): Promise<AgentAccess> {
  const { config, proxy } = loaded;
  const { caFile } = config.agent;
  let { url } = config.agent;
  if (url === "sandbox") {
    const sandbox = createSandbox({ host: "127.0.0.1", port: 0 });
    closers.push(() => sandbox.stop());
    ({ url } = await sandbox.start());
  }
  for (const warning of assertAllowedUrl(url, config.agent.allowHttp).warnings) warn(warning);
  const transport = createTransport({
    ...(caFile === undefined ? {} : { caFile: path.resolve(cwd, caFile) }),
    connections: config.concurrency,
    proxy: { httpProxy: "", httpsProxy: "", noProxy: "", ...proxy },
  });
  closers.push(() => transport.close());
  return { url, transport };
}
