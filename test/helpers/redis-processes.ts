import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis, type RedisOptions } from "ioredis";
import { findServerBinary } from "../../src/redis/managed-binary.ts";

const READY_LIMIT_MS = 15_000;
const POLL_MS = 25;

/** One redis-server. */
export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** As a power cut. */
  kill(): Promise<void>;
  /** The same port, folder and configuration, after kill(). */
  restart(): Promise<void>;
}

interface ServerStart {
  readonly port: number;
  /** Of redis.conf. */
  readonly lines: readonly string[];
  readonly args?: readonly string[];
  /** What a client needs beside the port. */
  readonly client?: Pick<RedisOptions, "tls">;
}

export interface Ground {
  readonly dir: string;
  /** Resolves when the server answers. */
  start(server: ServerStart): Promise<ServerProcess>;
  clear(): Promise<void>;
}

/** A folder for servers, and their ends. */
export async function prepareGround(): Promise<Ground> {
  const binary = await findServerBinary({
    binary: process.env["ONBOARD_BATCH_REDIS_SERVER"],
    searchPath: process.env["PATH"] ?? "",
  });
  const dir = await mkdtemp(path.join(tmpdir(), "onboard-batch-topology-"));
  const living = new Set<ChildProcess>();

  async function launch(server: ServerStart): Promise<ChildProcess> {
    const child = spawn(binary, [configOf(server), ...(server.args ?? [])], {
      cwd: dir,
      stdio: "ignore",
    });
    living.add(child);
    child.once("exit", () => living.delete(child));
    await until(`the server on port ${server.port} answers`, async () => {
      if (child.exitCode !== null)
        throw new Error(`redis-server ended: ${server.lines.join("; ")}`);
      await ask(server.port, (client) => client.ping(), server.client);
      return true;
    });
    return child;
  }

  function configOf({ port }: ServerStart): string {
    return path.join(dir, `${port}.conf`);
  }

  return {
    dir,
    async start(server) {
      // A file of its own, since Sentinels write into theirs.
      await writeFile(configOf(server), `${server.lines.join("\n")}\n`);
      let child = await launch(server);
      return {
        port: server.port,
        get pid() {
          return child.pid ?? 0;
        },
        kill: () => end(child),
        restart: async () => {
          child = await launch(server);
        },
      };
    },
    async clear() {
      await Promise.all([...living].map(end));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Of redis.conf: on loopback, without snapshots. */
export function plainLines(port: number): readonly string[] {
  return ["bind 127.0.0.1", `port ${port}`, `appenddirname aof-${port}`, 'save ""'];
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGKILL");
  await exited;
}

/** Asks one server; rejects when it cannot be reached. */
export async function ask<T>(
  port: number,
  question: (client: Redis) => Promise<T>,
  options: Pick<RedisOptions, "tls"> = {},
): Promise<T> {
  const client = new Redis({
    ...options,
    host: "127.0.0.1",
    port,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
  });
  client.on("error", () => {
    // The question fails instead.
  });
  try {
    await client.connect();
    return await question(client);
  } finally {
    client.disconnect();
  }
}

/** Servers tell nobody when they have found each other: asked until they have. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + READY_LIMIT_MS;
  let last: unknown;
  while (performance.now() < deadlineMs) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    await delay(POLL_MS);
  }
  throw new Error(`waited in vain until ${what}`, { cause: last });
}

/** Ports on which nobody listens now, all different. */
export async function findFreePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, "127.0.0.1"));
  await Promise.all(servers.map((server) => once(server, "listening")));
  const ports = servers.map((server) => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("no TCP address");
    return address.port;
  });
  await Promise.all(
    servers.map((server) => {
      const closed = once(server, "close");
      server.close();
      return closed;
    }),
  );
  return ports;
}
