import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { RedisContainer } from "@testcontainers/redis";
import { Redis } from "ioredis";
import { getContainerRuntimeClient } from "testcontainers";
import { findServerBinary } from "../../src/redis/managed-binary.js";

const IMAGE = "redis:7.4-alpine";
const READY_LIMIT_MS = 10_000;
const POLL_MS = 10;
let stopShared;
/** Vitest's globalSetup: one Redis for all tests of a project, from a container or from this machine. */
export async function setup(project) {
  const shared = await startShared();
  stopShared = shared.stop;
  project.provide("redisUrl", shared.url);
  say(`Redis for ${project.name} tests: ${shared.from}`);
}
/** Vitest's globalSetup, at the end. */
export async function teardown() {
  await stopShared?.();
  stopShared = undefined;
}
/** Starts a Redis that one test may kill, freeze or flush. */
export async function startPrivateRedis(options = {}) {
  const binary = await findLocalBinary();
  const dir = await mkdtemp(join(tmpdir(), "onboard-batch-test-redis-"));
  const port = options.port ?? (await findFreePort());
  const url = `redis://127.0.0.1:${port}`;
  const start = () => startServer({ binary, dir, port, options });
  let child = await start();
  return {
    url,
    get pid() {
      return child.pid ?? 0;
    },
    kill: () => end(child, "SIGKILL"),
    freeze: () => {
      child.kill("SIGSTOP");
    },
    thaw: () => {
      child.kill("SIGCONT");
    },
    restart: async () => {
      await end(child, "SIGTERM");
      child = await start();
    },
    stop: async () => {
      await end(child, "SIGKILL");
      await rm(dir, { recursive: true, force: true });
    },
  };
}
async function startShared() {
  if (!(await hasContainerEngine())) return startLocal("no container engine answers");
  try {
    const container = await new RedisContainer(IMAGE).start();
    const from = `container ${IMAGE}`;
    return { url: container.getConnectionUrl(), from, stop: () => container.stop() };
  } catch (error) {
    // An engine without the image and without a registry is as good as none.
    return startLocal(`the container did not start: ${String(error)}`);
  }
}
async function startLocal(why) {
  const redis = await startPrivateRedis();
  return { url: redis.url, from: `local redis-server (${why})`, stop: () => redis.stop() };
}
async function hasContainerEngine() {
  try {
    await getContainerRuntimeClient();
    return true;
  } catch {
    return false;
  }
}
/** The product's own search; its error says how to install one. */
function findLocalBinary() {
  return findServerBinary({
    binary: process.env["ONBOARD_BATCH_REDIS_SERVER"],
    searchPath: process.env["PATH"] ?? "",
  });
}
async function startServer({ binary, dir, port, options }) {
  const child = spawn(binary, ["-"], { stdio: ["pipe", "ignore", "ignore"] });
  const isDurable = options.durable === true;
  const lines = [
    "bind 127.0.0.1",
    `port ${port}`,
    `dir "${dir}"`,
    'save ""',
    `appendonly ${isDurable ? "yes" : "no"}`,
    `appendfsync ${isDurable ? "always" : "no"}`,
    ...(options.config ?? []),
  ];
  child.stdin.end(`${lines.join("\n")}\n`);
  await waitUntilReady(child, port, options.password);
  return child;
}
async function waitUntilReady(child, port, password = "") {
  const client = new Redis({
    port,
    password,
    retryStrategy: () => POLL_MS,
    maxRetriesPerRequest: null,
  });
  client.on("error", () => {
    // Refused until it listens.
  });
  const exited = once(child, "exit").then(() => "exited");
  const late = new AbortController();
  const outcome = await Promise.race([
    // Not events.once, which would reject at the first refused attempt.
    new Promise((resolve) => {
      client.once("ready", () => resolve("ready"));
    }),
    exited,
    delay(READY_LIMIT_MS, "late", { signal: late.signal }),
  ]);
  late.abort();
  client.disconnect();
  if (outcome === "ready") return;
  await end(child, "SIGKILL");
  throw new Error(`redis-server on port ${port} ${outcome} before it was ready`);
}
async function end(child, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill(signal);
  await exited;
}
async function findFreePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  return address.port;
}
function say(line) {
  process.stderr.write(`${line}\n`);
}
