import { expect, test } from "vitest";
import { createSandbox } from "../../../src/sandbox/agent.ts";
import { setup } from "./sandbox-client.ts";

const SLOW = { kind: "fixed", ms: 60_000 } as const;

function countServers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "TCPServerWrap").length;
}

test("stop closes what hangs and what waits, and leaves no server behind", async () => {
  const client = await setup({
    duration: SLOW,
    faults: [
      { match: { textIncludes: "hang" }, effect: { kind: "hang" } },
      { match: { textIncludes: "slow" }, effect: { kind: "slow", ms: 60_000 } },
    ],
  });
  expect(countServers()).toBeGreaterThan(0);
  const calls = ["hang", "slow", "blocking"].map((text) => client.sendBlocking(text, text));
  const settled = Promise.allSettled(calls);
  while (client.sandbox.stats().calls.SendMessage < 3) {
    await client.get("x");
  }
  await client.sandbox.stop();
  await client.sandbox.stop();
  expect((await settled).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  expect(countServers()).toBe(0);
  await expect(fetch(client.url)).rejects.toThrow("fetch failed");
});

test("may be stopped before it was started, and while it starts", async () => {
  await createSandbox().stop();
  const sandbox = createSandbox();
  const starting = sandbox.start();
  await sandbox.stop();
  await expect(fetch((await starting).url)).rejects.toThrow("fetch failed");
});

test("a second start gives the same address", async () => {
  const { sandbox, url } = await setup();
  expect((await sandbox.start()).url).toBe(url);
});

test("says how to mend an address that is taken", async () => {
  const { sandbox } = await setup();
  const { port } = await sandbox.start();
  const second = createSandbox({ port });
  await expect(second.start()).rejects.toMatchObject({
    exitCode: 2,
    hint: expect.stringContaining("--port"),
  });
  await second.stop();
});

test("refuses options that it does not know, naming them", () => {
  const options = { prot: 1 } as object;
  expect(() => createSandbox(options)).toThrow(/prot/);
});

test("an IPv6 host stands in brackets in the address", async () => {
  const { url } = await setup({ host: "::1" });
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+\/$/);
});
