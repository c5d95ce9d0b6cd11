import { spawn } from "node:child_process";
import { once } from "node:events";
import { lutimes, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { withFolderLock } from "../../../src/redis/folder-lock.js";
import { ownIdentity } from "../../../src/redis/process-identity.js";

let folder = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "onboard-batch-test-lock-"));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});
const tryOnce = (work) => withFolderLock({ folder, waitMs: 0 }, work);
async function deadPid() {
  const child = spawn(process.execPath, ["--version"], { stdio: "ignore" });
  await once(child, "exit");
  return child.pid;
}
test("of many at the same moment one works at a time, and all get their turn", async () => {
  let inside = 0;
  let most = 0;
  const work = async () => {
    inside += 1;
    most = Math.max(most, inside);
    await readdir(folder);
    inside -= 1;
  };
  await Promise.all(
    Array.from({ length: 20 }, () => withFolderLock({ folder, waitMs: 20_000 }, work)),
  );
  expect(most).toBe(1);
});
test("a lock that is held by a living process is waited for, and then given up", async () => {
  const me = await ownIdentity();
  await symlink(`${me.host} ${me.pid} ${me.startedAt}`, join(folder, "lock.4"));
  await expect(tryOnce(async () => "in")).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringContaining(folder),
  });
});
test("the lock of a process that was killed is taken over at once, and its remains are swept", async () => {
  await symlink(`${hostname()} ${await deadPid()} 1`, join(folder, "lock.4"));
  expect(await tryOnce(async () => readdir(folder))).toEqual(["lock.5"]);
});
test("a lock of another host is believed for a minute only", async () => {
  const path = join(folder, "lock.4");
  await symlink("elsewhere 1 1", path);
  await expect(tryOnce(async () => "in")).rejects.toMatchObject({ exitCode: 5 });
  const before = Date.now() / 1_000 - 61;
  await lutimes(path, before, before);
  expect(await tryOnce(async () => "in")).toBe("in");
});
test("an error inside lets the lock go", async () => {
  await expect(
    tryOnce(async () => {
      throw new Error("broken");
    }),
  ).rejects.toThrow("broken");
  expect(await tryOnce(async () => "in")).toBe("in");
});
test("a folder that is removed meanwhile does not hide the result", async () => {
  const result = await tryOnce(async () => {
    await rm(folder, { recursive: true });
    return "done";
  });
  expect(result).toBe("done");
});
