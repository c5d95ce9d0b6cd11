import path from "node:path";
import { assertAllowedUrl } from "./a2a/agent-url.ts";
import { createTransport } from "./a2a/transport.ts";
import type { LoadedConfig } from "./config/resolve-config.ts";
import type { Log } from "./core/log.ts";
import type { RedisHandle } from "./redis/connect.ts";
import { connectRedis } from "./redis/connect.ts";
import { openManagedRedis } from "./redis/managed.ts";
import { readTlsFiles, type TlsPaths } from "./redis/tls-files.ts";
import type { RedisLogin, RedisTls, RedisTopology } from "./redis/topology.ts";
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
    isRedisLost: async () =>
      opened.redis !== undefined && !(await opened.redis.answers(PING_LIMIT_MS)),
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

type Closers = (() => Promise<void>)[];

async function openRedis(deps: AppDeps, closers: Closers): Promise<RedisHandle> {
  const { config } = deps.loaded;
  const topology = await findTopology(deps, closers);
  const handle = await connectRedis({ topology, force: config.terminal.force, log: deps.log });
  closers.push(() => handle.close());
  return handle;
}

async function findTopology(deps: AppDeps, closers: Closers): Promise<RedisTopology> {
  const { config, secrets } = deps.loaded;
  const { redis } = config;
  if (redis.kind === "managed") return { kind: "single", url: await openManaged(deps, closers) };
  const common = {
    login: toLogin(redis.user, secrets.redisPassword),
    ...(redis.tls === undefined ? {} : { tls: await readTls(redis.tls, deps.cwd) }),
  };
  switch (redis.kind) {
    case "url":
      return { ...common, kind: "single", url: redis.url };
    case "sentinels": {
      const { sentinels, name, sentinelUser } = redis;
      const sentinelLogin = toLogin(sentinelUser, secrets.sentinelPassword);
      return { ...common, kind: "sentinels", sentinels, name, sentinelLogin };
    }
    case "cluster":
      return { ...common, kind: "cluster", nodes: redis.nodes };
  }
}

async function openManaged({ loaded, log }: AppDeps, closers: Closers): Promise<string> {
  const { machine } = loaded;
  const managed = await openManagedRedis({
    stateDir: path.join(machine.stateDir, "redis"),
    searchPath: machine.searchPath,
    binary: machine.redisServer,
    log,
  });
  closers.push(() => managed.close());
  return managed.url;
}

function toLogin(user: string | undefined, password: string | undefined): RedisLogin {
  return {
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
  };
}

function readTls(files: TlsPaths, cwd: string): Promise<RedisTls> {
  const absolute = Object.entries(files).map(([part, file]) => [part, path.resolve(cwd, file)]);
  return readTlsFiles(Object.fromEntries(absolute));
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
