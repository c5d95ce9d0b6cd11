import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { build } from "vite";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Log } from "../../../src/core/log.ts";
import { connectRedis, type RedisHandle } from "../../../src/redis/connect.ts";
import { type ManagedRedis, openManagedRedis } from "../../../src/redis/managed.ts";
import { isAlive } from "../../../src/redis/process-identity.ts";

const log: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
const searchPath = process.env["PATH"] ?? "";
const cleanups: (() => Promise<void>)[] = [];
let stateDir = "";
let bundleDir = "";

beforeAll(async () => {
  bundleDir = await mkdtemp(join(tmpdir(), "onboard-batch-test-bundle-"));
  await build({
    logLevel: "error",
    configFile: false,
    build: { ssr: "src/redis/managed.ts", outDir: bundleDir, emptyOutDir: true },
    ssr: { noExternal: true },
  });
});

afterAll(async () => {
  await rm(bundleDir, { recursive: true, force: true });
});

beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "onboard-batch-test-managed-"));
});

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
  await rm(stateDir, { recursive: true, force: true });
});

function ignore(): void {
  // What these tests judge is the servers, not the log.
}

async function joinManaged(dir = stateDir): Promise<ManagedRedis> {
  const managed = await openManagedRedis({ stateDir: dir, binary: undefined, searchPath, log });
  cleanups.push(() => managed.close());
  return managed;
}

async function connect(url: string): Promise<RedisHandle> {
  const handle = await connectRedis({
    topology: { kind: "single", url },
    force: false,
    log,
    waitMs: 5_000,
  });
  cleanups.push(() => handle.close());
  return handle;
}

/** Runs `work` on a connection that is closed again. */
async function withRedis<T>(url: string, work: (handle: RedisHandle) => Promise<T>): Promise<T> {
  const handle = await connectRedis({
    topology: { kind: "single", url },
    force: false,
    log,
    waitMs: 5_000,
  });
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

async function readPid({ client }: RedisHandle): Promise<number> {
  return Number(/process_id:(\d+)/.exec(await client.info("server"))?.[1]);
}

const serverPid = (url: string) => withRedis(url, readPid);

/** A process of its own that is a member until it is told to leave or is killed. */
interface MemberProcess {
  readonly url: string;
  leave(): Promise<void>;
  kill(): Promise<void>;
}

const MEMBER_PROGRAM = `
  const { openManagedRedis } = await import(process.argv[1]);
  const ignore = () => {};
  const managed = await openManagedRedis({
    stateDir: process.argv[2],
    binary: undefined,
    searchPath: process.env.PATH,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
  });
  console.log(managed.url);
  process.stdin.on("end", () => managed.close());
  process.stdin.resume();
`;

async function startMember(): Promise<MemberProcess> {
  const bundle = pathToFileURL(join(bundleDir, "managed.js")).href;
  const child = spawn(
    process.execPath,
    ["--input-type=module", "-e", MEMBER_PROGRAM, bundle, stateDir],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  const kill = (): Promise<void> => endProcess(child, () => child.kill("SIGKILL"));
  cleanups.push(kill);
  const [url] = (await once(createInterface(child.stdout), "line")) as [string];
  return { url, kill, leave: () => endProcess(child, () => child.stdin.end()) };
}

async function endProcess(child: ChildProcess, ask: () => void): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  ask();
  await exited;
}

test("the server is private, writes every answer to disk, and evicts nothing", async () => {
  const { url } = await joinManaged();
  const { client } = await connect(url);
  const settings = ["port", "appendonly", "appendfsync", "maxmemory-policy", "save", "dir"];
  const read = await Promise.all(settings.map((name) => client.config("GET", name)));
  expect(read).toEqual([
    ["port", "0"],
    ["appendonly", "yes"],
    ["appendfsync", "always"],
    ["maxmemory-policy", "noeviction"],
    ["save", ""],
    ["dir", stateDir],
  ]);
  expect((await stat(stateDir)).mode & 0o777).toBe(0o700);
  expect((await stat(join(stateDir, "redis.sock"))).mode & 0o777).toBe(0o700);
});

test("its environment holds nothing of ours", async () => {
  vi.stubEnv("ONBOARD_BATCH_API_KEY", "s3cret");
  const { url } = await joinManaged();
  const pid = await serverPid(url);
  const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
  expect(environment).not.toContain("s3cret");
});

test("the last one out ends the server, and the next finds the data", async () => {
  const first = await joinManaged();
  const second = await joinManaged();
  const pid = await serverPid(first.url);
  expect(second.url).toBe(first.url);
  await withRedis(first.url, ({ client }) => client.set("key", "kept"));

  const other = await startMember();
  await first.close();
  await second.close();
  expect(await isAlive(pid)).toBe(true);
  await other.leave();
  expect(await isAlive(pid)).toBe(false);

  const next = await joinManaged();
  expect(await withRedis(next.url, ({ client }) => client.get("key"))).toBe("kept");
});

test("leaving twice is leaving once", async () => {
  const managed = await joinManaged();
  await Promise.all([managed.close(), managed.close()]);
  await managed.close();
  expect(await readdir(stateDir)).not.toContain("redis.sock");
});

test("processes that start at the same moment meet at one server, and end it together", async () => {
  const members = await Promise.all(Array.from({ length: 4 }, startMember));
  const pids = await Promise.all(members.map(({ url }) => serverPid(url)));
  expect(new Set(pids).size).toBe(1);
  await Promise.all(members.map((member) => member.leave()));
  expect(await isAlive(pids[0]!)).toBe(false);
});

test("the server survives a killed owner, is joined by the next, and ended by it", async () => {
  const owner = await startMember();
  const pid = await serverPid(owner.url);
  await owner.kill();
  expect(await isAlive(pid)).toBe(true);

  const next = await joinManaged();
  expect(await serverPid(next.url)).toBe(pid);
  await next.close();
  expect(await isAlive(pid)).toBe(false);
});

test("a dead server's socket is no hindrance", async () => {
  const owner = await startMember();
  const pid = await serverPid(owner.url);
  await withRedis(owner.url, ({ client }) => client.set("key", "kept"));
  await owner.kill();
  process.kill(pid, "SIGKILL");
  await vi.waitUntil(async () => !(await isAlive(pid)));
  expect(await readdir(stateDir)).toContain("redis.sock");

  const next = await joinManaged();
  expect(await withRedis(next.url, ({ client }) => client.get("key"))).toBe("kept");
});

test("a server that is killed under its members is started again with its data", async () => {
  const { url } = await joinManaged();
  const handle = await connect(url);
  const pid = await readPid(handle);
  await handle.client.set("key", "kept");
  const back = new Promise<void>((resolve) => handle.onBack(resolve));
  process.kill(pid, "SIGKILL");
  await back;
  expect(await handle.client.get("key")).toBe("kept");
  expect(await readPid(handle)).not.toBe(pid);
});

test("a server whose socket was removed is ended before another touches its files", async () => {
  const owner = await startMember();
  const pid = await serverPid(owner.url);
  await withRedis(owner.url, ({ client }) => client.set("key", "kept"));
  await owner.kill();
  await rm(join(stateDir, "redis.sock"));

  const next = await joinManaged();
  expect(await isAlive(pid)).toBe(false);
  expect(await withRedis(next.url, ({ client }) => client.get("key"))).toBe("kept");
});

test("a folder too deep for a socket is reached by a short path, whatever the temporary folder", async () => {
  const temporary = await mkdtemp(join(tmpdir(), "ob-"));
  cleanups.push(() => rm(temporary, { recursive: true, force: true }));
  vi.stubEnv("TMPDIR", temporary);
  const deep = join(stateDir, "a".repeat(60), "b".repeat(60), 'with space and "quotes"');
  const first = await joinManaged(deep);
  expect(Buffer.byteLength(first.url)).toBeLessThan(108);
  const folder = dirname(dirname(first.url.slice("unix://".length)));
  expect((await stat(folder)).mode & 0o777).toBe(0o700);

  const elsewhere = await mkdtemp(join(temporary, "other-"));
  vi.stubEnv("TMPDIR", elsewhere);
  const second = await joinManaged(deep);
  expect(second.url).not.toBe(first.url);
  expect(await serverPid(second.url)).toBe(await serverPid(first.url));
});

test("a short path that somebody else may have made is refused", async () => {
  const temporary = await mkdtemp(join(tmpdir(), "ob-"));
  cleanups.push(() => rm(temporary, { recursive: true, force: true }));
  vi.stubEnv("TMPDIR", temporary);
  const trap = join(temporary, "trap");
  await mkdir(trap, { mode: 0o777 });
  await symlink(trap, join(temporary, `onboard-batch-${process.getuid?.()}`));
  await expect(joinManaged(join(stateDir, "a".repeat(100)))).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringContaining("is not a folder for you alone"),
  });
});

test("a server that cannot start is exit 5 with what its log says", async () => {
  await mkdir(join(stateDir, "appendonlydir", "appendonly.aof.manifest"), { recursive: true });
  await expect(joinManaged()).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringMatching(/did not start: .*manifest/),
    hint: expect.stringContaining("redis.log"),
  });
});

test("a folder that cannot be made is exit 5", async () => {
  const file = join(stateDir, "file");
  await writeFile(file, "");
  await expect(joinManaged(join(file, "folder"))).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringContaining("cannot be used"),
  });
});
