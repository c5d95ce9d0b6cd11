import path from "node:path";
import { describe, expect, it } from "vitest";
import { setup } from "./setup.ts";

describe("the configuration file", () => {
  it("is the one that --config names, relative to the working directory", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("rate: 3\n");
    await writeYaml("rate: 4\n", "other.yaml");
    const { config } = await load({ flags: { config: "other.yaml" } });
    expect(config.rates.sendPerSecond).toBe(4);
    const named = await load({ env: { ONBOARD_BATCH_CONFIG: "other.yaml" } });
    expect(named.config.rates.sendPerSecond).toBe(4);
  });

  it("must be there when it is named", async () => {
    const { faultsOf, folder } = await setup();
    const message = await faultsOf({ flags: { config: "missing.yaml" } });
    expect(message).toContain(`${path.join(folder, "missing.yaml")}: cannot be read`);
  });

  it.each([
    [{ XDG_CONFIG_HOME: "xdg" }, "xdg/onboard-batch/config.yaml"],
    [{}, "home/.config/onboard-batch/config.yaml"],
  ])("is looked for in the user's configuration folder (%j)", async (env, name) => {
    const { folder, load, writeYaml } = await setup();
    await writeYaml("rate: 7\n", name);
    const absolute = Object.fromEntries(
      Object.entries(env).map(([key, value]) => [key, path.join(folder, value)]),
    );
    expect((await load({ env: absolute })).config.rates.sendPerSecond).toBe(7);
  });

  it("in the working directory hides the user's own", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("pollRate: 8\n", "home/.config/onboard-batch/config.yaml");
    await writeYaml("rate: 7\n");
    const { config } = await load();
    expect(config.rates).toEqual({ sendPerSecond: 7, pollPerSecond: 20 });
  });

  it.each(["", "# nothing\n", "---\n"])("may be empty (%j)", async (text) => {
    const { load, writeYaml } = await setup();
    await writeYaml(text);
    expect((await load()).config.attempts).toBe(6);
  });

  it.each(["redis: redis://cache:6379/1", "redis:\n  url: redis://cache:6379/1"])(
    "takes Redis as a URL or as a section (%j)",
    async (text) => {
      const { load, writeYaml } = await setup();
      await writeYaml(text);
      expect((await load()).config.redis).toEqual({ kind: "url", url: "redis://cache:6379/1" });
    },
  );

  it("holds the settings that have no flag", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml(`
agent:
  auth: none
  allowHttp: true
  caFile: ca.pem
  maxResponseBytes: 1MiB
  acceptedOutputModes: [text/plain, application/json]
  giveUpAfter: 10m
message: {template: "Who is {name}?"}
results: {backlog: 128MiB}
retention: {redis: 2d}
`);
    const { config } = await load();
    expect(config.agent).toEqual({
      url: "https://api.cdq.com/a2a/cdq-genius/",
      auth: "none",
      allowHttp: true,
      caFile: "ca.pem",
      maxResponseBytes: 1_048_576,
      acceptedOutputModes: ["text/plain", "application/json"],
      giveUpAfterMs: 600_000,
    });
    expect(config.message.template).toBe("Who is {name}?");
    expect(config.results.backlogBytes).toBe(134_217_728);
    expect(config.retention.redisMs).toBe(172_800_000);
  });

  it.each([
    ["rate: 5\nrat: 6\n", ':2:1: "rat" is not known; did you mean rate?'],
    ["agent:\n  giveupafter: 1h\n", ':2:3: "giveupafter" is not known; did you mean giveUpAfter?'],
    ["maxMistakes: 5\n", ':1:1: "maxMistakes" is not known'],
    ["zzzzzz: 1\n", ':1:1: "zzzzzz" is not known'],
    ["agent: none\n", ":1:8: agent is a section that holds auth, allowHttp, caFile"],
    ["rate: 5\nrate: 6\n", ":2:1: this key stands twice"],
    ["rate: [1\n", ":2:1: "],
    ["- rate\n", ": must hold `key: value` lines"],
    ["a: 1\n---\nb: 2\n", ":2:1: "],
    ["rate: {a: 1}\n", ':1:7: must be a number from 0.001 to 10000, not {"a":1}'],
    ["out: *nowhere\n", ":1:6: "],
    [`out: "${"x".repeat(1_048_576)}"\n`, ": is over 1 MiB"],
  ])("is refused with the place of the fault (%#)", async (text, fault) => {
    const { faultsOf, writeYaml } = await setup();
    const file = await writeYaml(text);
    expect(await faultsOf({})).toContain(`${file}${fault}`);
  });

  it("may leave a whole section empty", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("agent:\nredis:\n");
    expect((await load()).config.redis).toEqual({ kind: "managed" });
  });
});
