import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import {
  clientName,
  isAlive,
  isSameAlive,
  ownIdentity,
} from "../../../src/redis/process-identity.js";

test("this process is alive and is itself", async () => {
  const me = await ownIdentity();
  expect(me.pid).toBe(process.pid);
  expect(await isAlive(me.pid)).toBe(true);
  expect(await isSameAlive(me)).toBe(true);
});
test("a process that has ended is not alive", async () => {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  expect(await isAlive(child.pid)).toBe(false);
  expect(await isSameAlive({ host: "here", pid: child.pid, startedAt: "1" })).toBe(false);
});
test.runIf(process.platform === "linux")(
  "another process that got the same id is told apart by its start",
  async () => {
    const me = await ownIdentity();
    expect(await isSameAlive({ ...me, startedAt: "1" })).toBe(false);
  },
);
test("the connection name is one that CLIENT SETNAME takes", () => {
  expect(clientName()).toMatch(/^onboard-batch:[\w.-]+:\d+$/);
});
