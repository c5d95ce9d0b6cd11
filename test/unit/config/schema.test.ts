import { describe, expect, it } from "vitest";
import type { ConfigInput } from "../../../src/config/resolve-config.ts";
import { setup } from "./setup.ts";

describe("values", () => {
  it.each<[Record<string, unknown>, string]>([
    [{ requestTimeout: "90" }, "--request-timeout: must be a duration such as"],
    [{ requestTimeout: "1ms" }, "from 100ms to 7d"],
    [{ agentUrl: "ftp://host/" }, "--agent-url: must be an https:// URL or the word sandbox"],
    [{ agentUrl: "sandboxx" }, "--agent-url: must be an https:// URL or the word sandbox"],
    [{ agentUrl: "https://me:pw@host/" }, "--agent-url: must not hold a user or password"],
    [{ agentUrl: "https://host/?a" }, "--agent-url: must not hold a query or fragment"],
    [{ runId: "a/b" }, "--run-id: must be 1 to 120 letters, digits, - or _"],
    [{ out: "" }, "--out: must be a text"],
    [{ progress: "loud" }, '--progress: must be one of auto, tty, plain, json, none, not "loud"'],
    [{ json: "maybe" }, '--json: must be true or false, not "maybe"'],
    [{ noDedupe: "maybe" }, '--no-dedupe: must be true or false, not "maybe"'],
    [{ delimiter: ",," }, "--delimiter: must be comma, semicolon, tab, pipe or one character"],
    [{ delimiter: '"' }, "--delimiter: must be comma"],
    [{ encoding: "utf-99" }, '--encoding: "utf-99" is not an encoding'],
    [{ columns: "a,,b" }, "--columns: must be a list of texts"],
    [{ columns: "a,b", headerRow: "2" }, "--columns: names columns for a file without header"],
    [{ quiet: true, verbose: true }, "--quiet: contradicts verbose"],
    [{ map: ["nmae=Firma"] }, '--map: "nmae" is not known; did you mean name?'],
    [{ map: ["name"] }, "--map: must be field=Header"],
    [{ map: ["name="] }, "--map: names no header for name"],
    [{ map: ["name=A", "name=B"] }, "--map: maps name twice"],
    [{ rate: "x".repeat(80) }, `not "${"x".repeat(56)}...`],
  ])("%j is refused", async (flags, fault) => {
    const { faultsOf } = await setup();
    expect(await faultsOf({ flags })).toContain(fault);
  });

  it("a template is checked where it stands", async () => {
    const { faultsOf, writeYaml } = await setup();
    const file = await writeYaml('message: {template: "Who is {nmae}?"}\n');
    expect(await faultsOf({})).toMatch(/:1:21: .*name/);
    expect(await faultsOf({})).toContain(file);
  });

  it("a map that is no mapping is refused", async () => {
    const { faultsOf, writeYaml } = await setup();
    await writeYaml("map: 5\n");
    expect(await faultsOf({})).toContain("must be field=Header");
  });

  it.each<[ConfigInput["flags"], unknown]>([
    [{ delimiter: "tab" }, { map: {}, delimiter: "\t" }],
    [{ delimiter: "\\t" }, { map: {}, delimiter: "\t" }],
    [{ delimiter: "^" }, { map: {}, delimiter: "^" }],
    [
      { encoding: "windows-1252", headerRow: "3" },
      { map: {}, encoding: "windows-1252", headerRow: 3 },
    ],
    [{ columns: "Name, Ort" }, { map: {}, columns: ["Name", "Ort"] }],
    [{ map: ["name=Firma", "city = Ort, Land "] }, { map: { name: "Firma", city: "Ort, Land" } }],
  ])("%j becomes options of reading", async (flags, reading) => {
    const { load } = await setup();
    expect((await load({ flags })).config.reading).toEqual(reading);
  });

  it("a map comes from the environment as one text and from the file as a mapping", async () => {
    const { load, writeYaml } = await setup();
    const env = { ONBOARD_BATCH_MAP: "name=Firma, GmbH,city=Ort" };
    expect((await load({ env })).config.reading.map).toEqual({ name: "Firma, GmbH", city: "Ort" });
    await writeYaml("map:\n  name: Firma\n  duns: 9\ncolumns: [Firma, 9]\n");
    expect((await load()).config.reading.columns).toEqual(["Firma", "9"]);
    await writeYaml("map:\n  name: Firma\n  duns: 9\n");
    expect((await load()).config.reading.map).toEqual({ name: "Firma", duns: "9" });
  });

  it("a field of the map without a header is refused", async () => {
    const { faultsOf, writeYaml } = await setup();
    await writeYaml("map:\n  name:\n");
    expect(await faultsOf({})).toContain("names no header for name");
  });

  it.each([
    ["https://host/a2a", "https://host/a2a/"],
    ["https://host", "https://host/"],
    ["http://localhost:1/x/", "http://localhost:1/x/"],
    ["sandbox", "sandbox"],
  ])("agent URL %s becomes %s", async (agentUrl, url) => {
    const { load } = await setup();
    expect((await load({ flags: { agentUrl } })).config.agent.url).toBe(url);
  });

  it("what is optional is there only when set", async () => {
    const { load } = await setup();
    expect((await load()).config).not.toHaveProperty("runId");
    const flags = {
      runId: "r-1",
      input: "in.csv",
      limit: "10",
      totalRate: "0.5",
      maxOpenTasks: "3",
      port: "0",
      noColor: true,
      noInput: true,
    };
    expect((await load({ flags })).config).toMatchObject({
      runId: "r-1",
      input: "in.csv",
      limits: { rows: 10 },
      rates: { totalPerSecond: 0.5 },
      maxOpenTasks: 3,
      server: { host: "127.0.0.1", port: 0 },
      terminal: { color: "never", input: false },
    });
  });

  it("ages of answers are durations, and 0 needs no unit", async () => {
    const { load, faultsOf, writeYaml } = await setup();
    expect((await load()).config).not.toHaveProperty("reuseMs");
    expect((await load({ flags: { reuse: "30d" } })).config.reuseMs).toBe(2_592_000_000);
    expect(await faultsOf({ flags: { reuse: "30" } })).toContain("--reuse: must be a duration");
    expect(await faultsOf({ flags: { reuse: "0" } })).toContain("from 1s to 3650d");
    for (const [answers, answersMs] of [
      ["0", 0],
      ["0s", 0],
      ["1d", 86_400_000],
    ] as const) {
      await writeYaml(`retention: { answers: ${answers} }\n`);
      expect((await load()).config.retention.answersMs).toBe(answersMs);
    }
  });

  it("a Redis URL with a password never appears in a message", async () => {
    const { faultsOf } = await setup();
    const message = await faultsOf({ env: { REDIS_URL: "http://:hunter2@cache" } });
    expect(message).toBe("REDIS_URL: must be a redis:// or rediss:// URL or the word managed");
    expect(await faultsOf({ flags: { redis: "redis://" } })).toContain("--redis: must be");
  });
});
