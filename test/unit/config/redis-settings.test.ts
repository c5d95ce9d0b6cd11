import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { setup } from "./setup.ts";

const SENTINELS = "redis: {sentinels: {hosts: [a:1, 'b'], name: mymaster}}\n";

describe("which Redis", () => {
  it.each([
    ["redis: {url: 'redis://h'}", { kind: "url", url: "redis://h" }],
    [
      "redis: {url: 'rediss://h', user: me, tls: {caFile: ca.pem}}",
      { kind: "url", url: "rediss://h", user: "me", tls: { caFile: "ca.pem" } },
    ],
    [
      SENTINELS,
      {
        kind: "sentinels",
        name: "mymaster",
        sentinels: [
          { host: "a", port: 1 },
          { host: "b", port: 26_379 },
        ],
      },
    ],
    [
      "redis: {sentinels: {hosts: ['[::1]:5'], name: m, user: s}, user: u, tls: {enabled: true}}",
      {
        kind: "sentinels",
        name: "m",
        sentinels: [{ host: "::1", port: 5 }],
        sentinelUser: "s",
        user: "u",
        tls: {},
      },
    ],
    [
      "redis: {cluster: [10.0.0.1, n-2.example:7001], tls: {certFile: c.pem, keyFile: k.pem}}",
      {
        kind: "cluster",
        nodes: [
          { host: "10.0.0.1", port: 6_379 },
          { host: "n-2.example", port: 7_001 },
        ],
        tls: { certFile: "c.pem", keyFile: "k.pem" },
      },
    ],
    ["redis: {user: me, tls: {caFile: ca.pem}}", { kind: "managed" }],
  ])("%s is understood", async (text, redis) => {
    const { load, writeYaml } = await setup();
    await writeYaml(text);
    expect((await load()).config.redis).toEqual(redis);
  });

  it.each([
    ["redis: {sentinels: {hosts: [a:1]}}", "needs redis.sentinels.name"],
    ["redis: {sentinels: {name: m}}", "needs redis.sentinels.hosts"],
    ["redis: {sentinels: {hosts: [a], name: m}, cluster: [b]}", "contradicts redis.sentinels"],
    ["redis: {url: 'redis://h', cluster: [b]}", "contradicts redis.sentinels or redis.cluster"],
    ["redis: {url: 'redis://h', tls: {caFile: x}}", "must begin with rediss://"],
    [
      "redis: {cluster: [b], tls: {enabled: false, caFile: x}}",
      "contradicts the files of redis.tls",
    ],
    ["redis: {cluster: [b], tls: {certFile: x}}", "and redis.tls.keyFile are set together"],
    ["redis: {cluster: [b], tls: {keyFile: x}}", "and redis.tls.keyFile are set together"],
    ["redis: {cluster: []}", "such as redis-1:6379, not an empty list"],
    ["redis: {cluster: ['a:0']}", 'such as redis-1:6379, not "a:0"'],
    ["redis: {cluster: ['a:70000']}", 'not "a:70000"'],
    ["redis: {sentinels: {hosts: ['a b'], name: m}}", "such as redis-1:26379"],
    ["redis: {url: 'http://h'}", "must be a redis:// or rediss:// URL"],
  ])("%s is refused", async (text, fault) => {
    const { faultsOf, writeYaml } = await setup();
    await writeYaml(text);
    expect(await faultsOf()).toContain(fault);
  });

  it("a password in a list of hosts is not repeated", async () => {
    const { faultsOf, writeYaml } = await setup();
    await writeYaml("redis: {cluster: ['redis://me:hunter2@h:1']}\n");
    const message = await faultsOf();
    expect(message).toContain("***@h:1");
    expect(message).not.toContain("hunter2");
  });

  it("a URL of the environment or the command line says all of it", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("redis: {cluster: [b], user: me, tls: {caFile: ca.pem}}\n");
    const plain = await load({ env: { REDIS_URL: "redis://h" } });
    expect(plain.config.redis).toEqual({ kind: "url", url: "redis://h" });
    const managed = await load({ flags: { redis: "managed" } });
    expect(managed.config.redis).toEqual({ kind: "managed" });
    const safe = await load({ flags: { redis: "rediss://h" } });
    expect(safe.config.redis).toEqual({
      kind: "url",
      url: "rediss://h",
      tls: { caFile: "ca.pem" },
    });
  });
});

describe("the passwords of Redis and the Sentinels", () => {
  it("come from the environment or from files", async () => {
    const { folder, load } = await setup();
    const file = path.join(folder, "password");
    await writeFile(file, "p: 1\n", { mode: 0o600 });
    const env = {
      ONBOARD_BATCH_REDIS_PASSWORD_FILE: "password",
      ONBOARD_BATCH_SENTINEL_PASSWORD: "p-2",
    };
    const loaded = await load({ env });
    expect(loaded.secrets).toEqual({ redisPassword: "p: 1", sentinelPassword: "p-2" });
    expect(loaded.warnings).toEqual([]);
    await chmod(file, 0o644);
    expect((await load({ env })).warnings).toEqual([
      `${file} holds the password of Redis and others may read it; chmod 600 ${file}`,
    ]);
  });

  it("are refused without being told when they are not one line", async () => {
    const { faultsOf } = await setup();
    const message = await faultsOf({ env: { ONBOARD_BATCH_REDIS_PASSWORD: "hunter\n2" } });
    expect(message).toBe(
      "ONBOARD_BATCH_REDIS_PASSWORD: must be one line without control characters",
    );
  });
});
