import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { computeInstallLine, findServerBinary } from "../../../src/redis/managed-binary.js";

let dir = "";
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "onboard-batch-test-binary-"));
});
afterEach(async () => {
  await rm(dir, { recursive: true, force: true });
});
async function writeBinary(name, versionLine) {
  const path = join(dir, name);
  await writeFile(path, `#!/bin/sh\necho "${versionLine}"\n`);
  await chmod(path, 0o755);
  return path;
}
test("a valkey-server on the path is found", async () => {
  const path = await writeBinary("valkey-server", "Valkey server v=8.0.1 sha=0");
  expect(await findServerBinary({ binary: undefined, searchPath: `/nowhere:${dir}` })).toBe(path);
});
test("a server that is too old is passed over for a newer one further on", async () => {
  await writeBinary("redis-server", "Redis server v=5.0.14 sha=0");
  const newer = await writeBinary("valkey-server", "Valkey server v=7.2.5 sha=0");
  expect(await findServerBinary({ binary: "", searchPath: dir })).toBe(newer);
});
test("without a usable server the error names the old one and the line that installs one", async () => {
  const old = await writeBinary("redis-server", "Redis server v=5.0.14 sha=0");
  await expect(findServerBinary({ binary: undefined, searchPath: dir })).rejects.toMatchObject({
    exitCode: 5,
    message: expect.stringContaining(`${old} is 5.0.14`),
    hint: expect.stringContaining("install one: "),
  });
});
test("the server that is named is used, wherever it is and whatever else there is", async () => {
  await writeBinary("redis-server", "Redis server v=7.0.0 sha=0");
  const named = await writeBinary("mine", "Redis server v=7.2.0 sha=0");
  expect(await findServerBinary({ binary: named, searchPath: dir })).toBe(named);
});
test.each([
  ["is no server", "hello", "is no redis-server that can be run"],
  ["is too old", "Redis server v=6.0.16 sha=0", "is 6.0.16"],
])("a named server that %s is refused, not replaced", async (_, versionLine, fault) => {
  await writeBinary("redis-server", "Redis server v=7.0.0 sha=0");
  const named = await writeBinary("mine", versionLine);
  await expect(findServerBinary({ binary: named, searchPath: dir })).rejects.toMatchObject({
    exitCode: 2,
    message: expect.stringContaining(fault),
  });
});
test.each([
  ["darwin", "", "brew install redis"],
  ["linux", "ID=debian\n", "sudo apt-get install -y redis-server"],
  [
    "linux",
    'NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n',
    "sudo apt-get install -y redis-server",
  ],
  ["linux", "ID=fedora\n", "sudo dnf install -y valkey"],
  ["linux", 'ID="rocky"\nID_LIKE="rhel centos fedora"\n', "sudo dnf install -y valkey"],
  ["linux", "ID=alpine\n", "sudo apk add redis"],
  ["linux", 'ID=other\nHOME_URL="https://debian.example"\n', "docker run"],
])("on %s with %j one installs with %s", (platform, osRelease, line) => {
  expect(computeInstallLine(platform, osRelease)).toContain(line);
});
