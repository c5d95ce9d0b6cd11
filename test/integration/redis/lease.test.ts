import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { runKeys } from "../../../src/redis/keys.ts";
import { tryLease } from "../../../src/redis/lease.ts";
import type { ProcessIdentity } from "../../../src/redis/process-identity.ts";
import { ownIdentity } from "../../../src/redis/process-identity.ts";
import { openTestRedis, SILENT, uniqueRunId } from "../../helpers/run-for-tests.ts";

async function setup() {
  const { client } = await openTestRedis();
  const runId = uniqueRunId();
  const key = runKeys(runId).lease;
  onTestFinished(async () => {
    await client.unlink(key);
  });
  return {
    client,
    key,
    hold: (holder: ProcessIdentity) => client.set(key, JSON.stringify(holder), "PX", 20_000),
    take: async () => {
      const tried = await tryLease(client, runId, SILENT);
      if (tried.kind === "taken") onTestFinished(() => tried.lease.release());
      return tried;
    },
  };
}

/** A process that lives until the end of the test, and what it is known by. */
async function startOther() {
  const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 60000)"]);
  await once(child, "spawn");
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  onTestFinished(end);
  const stat = await readFile(`/proc/${child.pid}/stat`, "utf8").catch(() => "");
  const startedAt = stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "-";
  return { identity: { host: hostname(), pid: child.pid ?? 0, startedAt }, end };
}

describe("taking", () => {
  test("a free lease is taken for 20 s under this process's name", async () => {
    const { client, key, take } = await setup();
    expect((await take()).kind).toBe("taken");
    expect(JSON.parse((await client.get(key)) ?? "")).toEqual(await ownIdentity());
    expect(await client.pttl(key)).toSatisfy((ms: number) => ms > 15_000 && ms <= 20_000);
  });

  test("a lease that another living process holds is not, and it is named", async () => {
    const { hold, take } = await setup();
    const other = await startOther();
    await hold(other.identity);
    expect(await take()).toEqual({ kind: "held", holder: other.identity });
  });

  test("the lease of a process of this host that is gone is taken at once", async () => {
    const { hold, take } = await setup();
    const other = await startOther();
    await hold(other.identity);
    await other.end();
    expect((await take()).kind).toBe("taken");
  });

  test("a process that only has the number of the dead holder does not count as it", async () => {
    const { hold, take } = await setup();
    const other = await startOther();
    await hold({ ...other.identity, startedAt: "1" });
    expect((await take()).kind).toBe("taken");
  });

  test("whether another host's holder lives cannot be known: it is waited out", async () => {
    const { hold, take } = await setup();
    const elsewhere = { host: "elsewhere", pid: 1, startedAt: "1" };
    await hold(elsewhere);
    expect(await take()).toEqual({ kind: "held", holder: elsewhere });
  });
});

describe("keeping", () => {
  test("it is renewed while it is held", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { client, key, take } = await setup();
    await take();
    await client.pexpire(key, 1_000);
    vi.advanceTimersByTime(5_000);
    await vi.waitFor(async () => expect(await client.pttl(key)).toBeGreaterThan(10_000));
  });

  test("given back it is free, and giving it back again takes it from nobody", async () => {
    const { client, key, take, hold } = await setup();
    const tried = await take();
    if (tried.kind !== "taken") throw new Error("not taken");
    await tried.lease.release();
    expect(await client.exists(key)).toBe(0);
    await hold({ host: "elsewhere", pid: 1, startedAt: "1" });
    await tried.lease.release();
    expect(await client.exists(key)).toBe(1);
  });

  test("who was stalled for so long that another has it is told", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const { client, key, take, hold } = await setup();
    const tried = await take();
    if (tried.kind !== "taken") throw new Error("not taken");
    const other = { host: "elsewhere", pid: 1, startedAt: "1" };
    await hold(other);
    const lost = once(tried.lease.lost, "abort");
    vi.advanceTimersByTime(5_000);
    await lost;
    expect(JSON.parse((await client.get(key)) ?? "")).toEqual(other);
  });

  test("one that ran out and went to another is not given back for it", async () => {
    const { client, key, take, hold } = await setup();
    const tried = await take();
    if (tried.kind !== "taken") throw new Error("not taken");
    await hold({ host: "elsewhere", pid: 1, startedAt: "1" });
    await tried.lease.release();
    expect(await client.exists(key)).toBe(1);
  });
});
