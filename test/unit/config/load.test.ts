import { chmod, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { processEnvironment } from "../../../src/config/load.ts";
import { setup } from "./setup.ts";

describe("precedence", () => {
  const flags = { rate: "1" };
  const env = { ONBOARD_BATCH_RATE: "2" };

  it("a flag wins over environment, file and default", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("rate: 3\n");
    const { config, sources } = await load({ flags, env });
    expect(config.rates.sendPerSecond).toBe(1);
    expect(sources.get("rate")).toBe("--rate");
  });

  it("the environment wins over file and default", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("rate: 3\n");
    const { config, sources } = await load({ env });
    expect(config.rates.sendPerSecond).toBe(2);
    expect(sources.get("rate")).toBe("ONBOARD_BATCH_RATE");
  });

  it("the file wins over the default", async () => {
    const { load, writeYaml } = await setup();
    const file = await writeYaml("# mine\nrate: 3\n");
    const { config, sources } = await load();
    expect(config.rates.sendPerSecond).toBe(3);
    expect(sources.get("rate")).toBe(`${file}:2:7`);
  });

  it("the default stands when nobody says anything, and also where a value is empty", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("rate:\n");
    const { config, sources } = await load({ env: { ONBOARD_BATCH_RATE: "" } });
    expect(config.rates.sendPerSecond).toBe(5);
    expect(sources.get("rate")).toBe("default");
  });

  it("a setting that is overruled is not looked at", async () => {
    const { load } = await setup();
    const { config } = await load({ flags, env: { ONBOARD_BATCH_RATE: "fast" } });
    expect(config.rates.sendPerSecond).toBe(1);
  });
});

describe("flags and environment names", () => {
  it("REDIS_URL is read when ONBOARD_BATCH_REDIS is unset, and wins over the file", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("redis: redis://file\n");
    const fallback = await load({ env: { REDIS_URL: "redis://fallback" } });
    expect(fallback.config.redis).toEqual({ kind: "url", url: "redis://fallback" });
    expect(fallback.sources.get("redis.url")).toBe("REDIS_URL");
    const own = await load({
      env: { REDIS_URL: "redis://fallback", ONBOARD_BATCH_REDIS: "redis://own" },
    });
    expect(own.config.redis).toEqual({ kind: "url", url: "redis://own" });
  });

  it.each([
    [{ flags: { noDedupe: true } }, false],
    [{ flags: { dedupe: true }, env: { ONBOARD_BATCH_NO_DEDUPE: "1" } }, true],
    [{ env: { ONBOARD_BATCH_NO_DEDUPE: "yes" } }, false],
    [{ env: { ONBOARD_BATCH_NO_DEDUPE: "0" } }, true],
    [{ env: { ONBOARD_BATCH_DEDUPE: "false" } }, false],
  ])("a negative flag says the opposite (%j)", async (over, dedupe) => {
    const { load } = await setup();
    expect((await load(over)).config.dedupe).toBe(dedupe);
  });

  it("a flag and its negative contradict each other", async () => {
    const { faultsOf } = await setup();
    const message = await faultsOf({ flags: { dedupe: true, noDedupe: true } });
    expect(message).toBe("--no-dedupe: contradicts --dedupe");
  });

  it("an unknown ONBOARD_BATCH_ name is refused with the nearest known one", async () => {
    const { faultsOf } = await setup();
    expect(await faultsOf({ env: { ONBOARD_BATCH_POLLRATE: "5" } })).toBe(
      "ONBOARD_BATCH_POLLRATE: is not known; did you mean ONBOARD_BATCH_POLL_RATE?",
    );
  });

  it("every fault is listed at once with its place", async () => {
    const { faultsOf, writeYaml } = await setup();
    const file = await writeYaml("window: 0\nwindov: 1\n");
    const message = await faultsOf({
      flags: { rate: "fast", port: "70000" },
      env: { ONBOARD_BATCH_ATTEMPTS: "2.5", ONBOARD_BATCH_RATES: "1" },
    });
    expect(message.split("\n")).toEqual([
      "6 faults in the settings:",
      "  ONBOARD_BATCH_RATES: is not known; did you mean ONBOARD_BATCH_RATE?",
      `  ${file}:2:1: "windov" is not known; did you mean window?`,
      '  --rate: must be a number from 0.001 to 10000, not "fast"',
      `  ${file}:1:9: must be a whole number from 1 to 10000000, not 0`,
      '  ONBOARD_BATCH_ATTEMPTS: must be a whole number from 1 to 100, not "2.5"',
      '  --port: must be a whole number from 0 to 65535, not "70000"',
    ]);
  });
});

describe("the API key", () => {
  it("comes from the environment", async () => {
    const { load } = await setup();
    const { secrets } = await load({ env: { ONBOARD_BATCH_API_KEY: " k-1\n" } });
    expect(secrets).toEqual({ apiKey: "k-1" });
  });

  it("comes from a file, and others must not read it", async () => {
    const { folder, load } = await setup();
    const file = path.join(folder, "key");
    await writeFile(file, "k-2\r\n", { mode: 0o600 });
    const env = { ONBOARD_BATCH_API_KEY_FILE: "key" };
    expect(await load({ env })).toMatchObject({ secrets: { apiKey: "k-2" }, warnings: [] });
    await chmod(file, 0o644);
    const { warnings } = await load({ env });
    expect(warnings).toEqual([
      `${file} holds the API key and others may read it; chmod 600 ${file}`,
    ]);
  });

  it.each<[Record<string, string>, string]>([
    [{ ONBOARD_BATCH_API_KEY: "two words" }, "ONBOARD_BATCH_API_KEY: must be one word"],
    [{ ONBOARD_BATCH_API_KEY: " " }, "ONBOARD_BATCH_API_KEY: is empty"],
    [{ ONBOARD_BATCH_API_KEY_FILE: "none" }, "ONBOARD_BATCH_API_KEY_FILE: cannot be read"],
    [
      { ONBOARD_BATCH_API_KEY: "secret-1", ONBOARD_BATCH_API_KEY_FILE: "x" },
      "ONBOARD_BATCH_API_KEY_FILE: contradicts ONBOARD_BATCH_API_KEY",
    ],
  ])("is refused without being told (%#)", async (env, fault) => {
    const { faultsOf } = await setup();
    const message = await faultsOf({ env });
    expect(message).toContain(fault);
    expect(message).not.toMatch(/two words|secret-1/);
  });

  it("is not handed on when the agent wants none", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("agent: {auth: none}\n");
    expect((await load({ env: { ONBOARD_BATCH_API_KEY: "k" } })).secrets).toEqual({});
  });
});

describe("what else the environment tells", () => {
  it("is the proxy, lower case first", async () => {
    const { load } = await setup();
    const env = {
      http_proxy: "http://a",
      HTTP_PROXY: "http://b",
      HTTPS_PROXY: "http://c",
      NO_PROXY: "d",
    };
    expect((await load({ env })).proxy).toEqual({
      httpProxy: "http://a",
      httpsProxy: "http://c",
      noProxy: "d",
    });
    expect((await load()).proxy).toEqual({});
  });

  it("is where a managed Redis finds its binary and keeps its data", async () => {
    const { folder, load } = await setup();
    expect((await load()).machine).toEqual({
      searchPath: "",
      stateDir: path.join(folder, "home/.local/state/onboard-batch"),
    });
    const env = {
      PATH: "/bin",
      XDG_STATE_HOME: "/state",
      ONBOARD_BATCH_REDIS_SERVER: "/opt/redis",
    };
    expect((await load({ env })).machine).toEqual({
      redisServer: "/opt/redis",
      searchPath: "/bin",
      stateDir: "/state/onboard-batch",
    });
  });

  it("is this process's own when nobody hands in another", () => {
    expect(processEnvironment()["PATH"]).toBe(process.env["PATH"]);
  });
});
