import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterEach, expect, inject, test, vi } from "vitest";
import { errorText } from "../../../src/core/errors.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { connectRedis, type RedisHandle } from "../../../src/redis/connect.ts";
import {
  type PrivateRedis,
  type PrivateRedisOptions,
  startPrivateRedis,
} from "../../helpers/redis-for-tests.ts";

const cleanups: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

interface Logged {
  readonly level: string;
  readonly event: string;
  readonly fields: LogFields;
}

function createTestLog(): { readonly log: Log; readonly logged: Logged[] } {
  const logged: Logged[] = [];
  const write =
    (level: string) =>
    (event: string, fields: LogFields = {}): void => {
      logged.push({ level, event, fields });
    };
  const log = {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
  };
  return { log, logged };
}

async function startRedis(options: PrivateRedisOptions = {}): Promise<PrivateRedis> {
  const redis = await startPrivateRedis(options);
  cleanups.push(() => redis.stop());
  return redis;
}

async function open(
  url: string,
  force = false,
): Promise<RedisHandle & { readonly logged: Logged[] }> {
  const { log, logged } = createTestLog();
  const handle = await connectRedis({
    topology: { kind: "single", url },
    force,
    log,
    waitMs: 5_000,
  });
  cleanups.push(() => handle.close());
  return { ...handle, logged };
}

function refuse(url: string, waitMs = 5_000): Promise<unknown> {
  return connectRedis({
    topology: { kind: "single", url },
    waitMs,
    force: false,
    log: createTestLog().log,
  }).then(
    () => {
      throw new Error("it was accepted");
    },
    (error: unknown) => error,
  );
}

const awayOf = (handle: RedisHandle) => new Promise<void>((resolve) => handle.onAway(resolve));
const backOf = (handle: RedisHandle) => new Promise<void>((resolve) => handle.onBack(resolve));

/** A server on loopback that is no Redis; gives its port. */
async function listen(onConnection: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    onConnection(socket);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(async () => {
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, "close");
  });
  return (server.address() as AddressInfo).port;
}

/** A loopback port that nobody listens on. */
async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

test("a Redis that is fit is opened, used, and left without a trace", async () => {
  const handle = await open(inject("redisUrl"));
  expect(handle.isAway()).toBe(false);
  expect(await handle.client.ping()).toBe("PONG");
  await handle.close();
  await handle.close();
  expect(handle.client.status).toBe("end");
  await expect(handle.client.ping()).rejects.toThrow("Connection is closed");
  expect(handle.logged.filter(({ level }) => level !== "debug" && level !== "info")).toEqual([]);
});

test("a Redis that starts late is waited for", async () => {
  const port = await findClosedPort();
  const { log } = createTestLog();
  const opening = connectRedis({
    topology: { kind: "single", url: `redis://127.0.0.1:${port}` },
    force: false,
    log,
  });
  await startRedis({ port });
  const handle = await opening;
  cleanups.push(() => handle.close());
  expect(await handle.client.ping()).toBe("PONG");
});

test("a Redis that does not answer is exit 5, named without its password", async () => {
  const port = await findClosedPort();
  const error = await refuse(`redis://user:s3cret@127.0.0.1:${port}`, 300);
  expect(error).toMatchObject({
    exitCode: 5,
    message: `the Redis at redis://***@127.0.0.1:${port} did not answer within 0.3 s (connect ECONNREFUSED 127.0.0.1:${port})`,
  });
  expect(JSON.stringify([error, String(error)])).not.toContain("s3cret");
});

test("something that accepts connections but is silent is exit 5", async () => {
  const port = await listen((socket) => socket.resume());
  expect(await refuse(`redis://127.0.0.1:${port}`, 300)).toMatchObject({
    exitCode: 5,
    message: expect.stringContaining("no answer"),
  });
});

test.each([
  ["a wrong password", ":wrong@"],
  ["no password", ""],
  ["an unknown user", "nobody:s3cret@"],
])("%s is exit 2 at once", async (_, credentials) => {
  const redis = await startRedis({ config: ["requirepass s3cret"], password: "s3cret" });
  const startedAtMs = performance.now();
  const error = await refuse(redis.url.replace("//", `//${credentials}`), 20_000);
  expect(error).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("user or password"),
  });
  expect(String(error)).not.toContain("wrong");
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});

test("the right password is accepted", async () => {
  const redis = await startRedis({ config: ["requirepass s3:cret"], password: "s3:cret" });
  const handle = await open(redis.url.replace("//", "//:s3%3Acret@"));
  expect(await handle.client.ping()).toBe("PONG");
  expect(handle.name).not.toContain("cret");
});

test("a database that does not exist is exit 2", async () => {
  const redis = await startRedis({ config: ["databases 1"] });
  expect(await refuse(`${redis.url}/3`)).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("no such database"),
  });
});

test("TLS towards something that speaks none is exit 2 at once", async () => {
  const port = await listen((socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"));
  expect(await refuse(`rediss://127.0.0.1:${port}`, 20_000)).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("no trusted TLS connection"),
  });
});

test("a Redis that may evict keys is refused with the way to mend it", async () => {
  const redis = await startRedis({ config: ["maxmemory-policy allkeys-lru"] });
  expect(await refuse(redis.url)).toMatchObject({
    exitCode: 2,
    message: expect.stringContaining("allkeys-lru"),
    hint: expect.stringContaining("CONFIG SET maxmemory-policy noeviction"),
  });
});

test("with force a Redis that may evict keys is used, and the log says so", async () => {
  const redis = await startRedis({ config: ["maxmemory-policy volatile-lru"] });
  const { logged } = await open(redis.url, true);
  expect(logged).toContainEqual({
    level: "warn",
    event: "redis.may-evict-keys",
    fields: { policy: "volatile-lru" },
  });
});

test("an account that may not ask for the facts is served, with warnings", async () => {
  // ioredis itself tells about the skipped check on the console.
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const redis = await startRedis({ config: ["user app on >pw ~* +@all -info -config"] });
  const { client, logged } = await open(redis.url.replace("//", "//app:pw@"));
  expect(await client.ping()).toBe("PONG");
  expect(logged.map(({ event }) => event)).toEqual([
    "redis.info-refused",
    "redis.version-unknown",
    "redis.eviction-policy-unknown",
  ]);
});

test("a Redis that goes and comes back is noticed, and what was asked meanwhile is answered", async () => {
  const redis = await startRedis({ durable: true });
  const handle = await open(redis.url);
  await handle.client.set("key", "kept");
  const away = awayOf(handle);
  const back = backOf(handle);

  await redis.kill();
  await away;
  expect(handle.isAway()).toBe(true);
  const asked = handle.client.get("key");
  await redis.restart();
  await back;

  expect(handle.isAway()).toBe(false);
  expect(await asked).toBe("kept");
});

test("a long absence writes a line or two, not one for each attempt", async () => {
  const redis = await startRedis();
  const handle = await open(redis.url);
  let failedCount = 0;
  const failedFiveTimes = new Promise<void>((resolve) => {
    handle.client.on("error", () => {
      failedCount += 1;
      if (failedCount === 5) resolve();
    });
  });
  await redis.kill();
  await failedFiveTimes;
  expect(handle.logged.map(({ event }) => event)).toEqual(["redis.away", "redis.error"]);
});

test("a listener that was taken off is not called", async () => {
  const redis = await startRedis();
  const handle = await open(redis.url);
  const listener = vi.fn<() => void>();
  handle.onAway(listener)();
  const away = awayOf(handle);
  await redis.kill();
  await away;
  expect(listener).not.toHaveBeenCalled();
});

test("closing while Redis is down returns, and rejects what still waits", async () => {
  const redis = await startRedis();
  const handle = await open(redis.url);
  const away = awayOf(handle);
  const retrying = new Promise((resolve) => handle.client.once("reconnecting", resolve));
  await redis.kill();
  await away;
  await retrying;
  const asked = handle.client.get("key");
  const outcome = asked.then(() => "answered", errorText);

  const startedAtMs = performance.now();
  await handle.close();
  expect(await outcome).toBe("Connection is closed.");
  expect(performance.now() - startedAtMs).toBeLessThan(3_000);
});

test("closing while Redis hangs returns within its limit", async () => {
  const redis = await startRedis();
  const handle = await open(redis.url);
  redis.freeze();
  const outcome = handle.client.get("key").then(() => "answered", errorText);

  const startedAtMs = performance.now();
  await handle.close();
  expect(performance.now() - startedAtMs).toBeLessThan(4_000);
  expect(await outcome).toBe("Connection is closed.");
});

test("a connection that blocks for ever holds up neither the others nor the end", async () => {
  const handle = await open(inject("redisUrl"));
  const blocking = handle.duplicateForBlocking();
  const key = `connect-test-${process.pid}`;
  const read = blocking.xread("BLOCK", 0, "STREAMS", key, "$");
  const outcome = read.then(() => "answered", errorText);
  expect(await handle.client.ping()).toBe("PONG");

  const startedAtMs = performance.now();
  await handle.close();
  expect(await outcome).toBe("Connection is closed.");
  expect(performance.now() - startedAtMs).toBeLessThan(1_500);
});

test("a blocking connection survives an outage too", async () => {
  const redis = await startRedis({ durable: true });
  const handle = await open(redis.url);
  const blocking = handle.duplicateForBlocking();
  const back = backOf(handle);
  await redis.restart();
  await back;
  const read = blocking.xread("BLOCK", 0, "STREAMS", "stream", "0");
  await handle.client.xadd("stream", "*", "field", "value");
  expect(JSON.stringify(await read)).toContain("value");
});
