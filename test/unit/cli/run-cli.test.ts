import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { COMMANDS } from "../../../src/cli/command-table.ts";
import { readVersion } from "../../../src/cli/package-version.ts";
import { runCli } from "../../../src/cli/run-cli.ts";
import { SETTINGS } from "../../../src/config/settings.ts";
import { EXIT } from "../../../src/core/exit-code.ts";
import { type FakeIoOptions, fakeIo } from "./fake-io.ts";

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function cli(line: string, options: FakeIoOptions = {}): Promise<Ended> {
  const { io, stdout, stderr } = fakeIo(options);
  const code = await runCli(line === "" ? [] : line.split(" "), io);
  return { code, stdout: stdout(), stderr: stderr() };
}

async function folder(): Promise<string> {
  const made = await mkdtemp(path.join(tmpdir(), "onboard-cli-"));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

describe("help", () => {
  it.each(["", "--help", "-h", "help"])("%j shows every command and ends well", async (line) => {
    const { code, stdout, stderr } = await cli(line);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^Usage: onboard-batch <command> \[options\]\n/);
    for (const { name } of COMMANDS) expect(stdout).toContain(`\n  ${name} `);
    expect(stdout).toContain("--agent-url sandbox");
  });

  it.each(["help run", "run --help"])(
    "%j lists flags in groups with default and environment name",
    async (line) => {
      const { code, stdout } = await cli(line);
      expect(code).toBe(0);
      expect(stdout).toContain("Usage: onboard-batch run [options] <file...>");
      expect(stdout.indexOf("Speed:")).toBeGreaterThan(stdout.indexOf("Agent:"));
      expect(stdout).toMatch(/--rate <n> .*\(\s*default 5;\s*ONBOARD_BATCH_RATE\)/s);
      expect(stdout).toContain("\nExamples:\n  onboard-batch run partners.csv\n");
    },
  );

  it("shows each flag of the settings in some command", async () => {
    const all = await Promise.all(COMMANDS.map(({ name }) => cli(`help ${name}`)));
    const text = all.map(({ stdout }) => stdout).join("\n");
    const flags = SETTINGS.flatMap(({ flag }) => (flag === undefined ? [] : [flag]));
    expect(flags.filter((flag) => !text.includes(flag))).toEqual([]);
  });

  it("on exit codes names every code once", async () => {
    const { stdout } = await cli("help exit-codes");
    const codes = [...stdout.matchAll(/^ {2}(\d+) /gm)].map(([, code]) => Number(code));
    expect(codes).toEqual(Object.values(EXIT));
  });

  it("on environment names every setting with a flag and the secrets", async () => {
    const { stdout } = await cli("help environment");
    for (const name of [
      "ONBOARD_BATCH_API_KEY_FILE",
      "ONBOARD_BATCH_POLL_RATE",
      "ONBOARD_BATCH_NO_DEDUPE",
      "REDIS_URL",
    ]) {
      expect(stdout).toContain(`  ${name} `);
    }
  });

  it("on config names every key", async () => {
    const { stdout } = await cli("help config");
    for (const { key } of SETTINGS) expect(stdout).toContain(`  ${key} `);
  });

  it("on csv names the result files", async () => {
    expect((await cli("help csv")).stdout).toMatch(
      /results\.csv[\s\S]*failures\.csv[\s\S]*needs-input\.csv/,
    );
  });

  it.each([
    ["exit-code", "did you mean exit-codes?"],
    ["qqqqqqqq", "there is no help on qqqqqqqq"],
  ])("on %s says what there is", async (topic, text) => {
    const { code, stderr } = await cli(`help ${topic}`);
    expect(code).toBe(2);
    expect(stderr).toContain(text);
    expect(stderr).toContain("exit-codes, environment, config, csv");
  });
});

describe("version", () => {
  it.each(["version", "--version", "-V"])("%s is one line", async (line) => {
    expect(await cli(line)).toEqual({ code: 0, stdout: `${readVersion()}\n`, stderr: "" });
  });

  it("comes as JSON too", async () => {
    const { stdout } = await cli("version --json");
    expect(JSON.parse(stdout)).toEqual({
      name: "onboard-batch",
      version: readVersion(),
      node: process.versions.node,
      platform: process.platform,
    });
  });
});

describe("a mistake in the command line", () => {
  it.each([
    ["rnu partners.csv", "unknown command 'rnu'", "Did you mean run?"],
    ["run partners.csv --rat 5", "unknown option '--rat'", "Did you mean --rate?"],
    ["run", "missing required argument 'file'", "onboard-batch help"],
    ["run partners.csv --rate", "option '--rate <n>' argument missing", "onboard-batch help"],
    ["version now", "too many arguments", "onboard-batch help"],
  ])("%s exits 2 and says what was meant", async (line, message, hint) => {
    const { code, stdout, stderr } = await cli(line);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`error: ${message}`);
    expect(stderr).toContain(hint);
  });

  it("comes as a last line of JSON with --json", async () => {
    const { stderr } = await cli("rnu --json");
    expect(JSON.parse(stderr.trimEnd().split("\n").at(-1) ?? "")).toEqual({
      type: "error",
      exitCode: 2,
      message: "unknown command 'rnu'\n(Did you mean run?)",
      hint: "`onboard-batch help` shows what there is",
    });
  });
});

describe("a fault in the settings", () => {
  it("exits 2 and lists every one", async () => {
    const cwd = await folder();
    const { code, stderr } = await cli("sandbox --port x --config missing.yaml", {
      cwd,
      env: { ONBOARD_BATCH_RATE: "-1" },
    });
    expect(code).toBe(2);
    expect(stderr).toContain("3 faults in the settings:");
    expect(stderr).toContain("--port: must be a whole number");
    expect(stderr).toContain("ONBOARD_BATCH_RATE: must be a number");
    expect(stderr).toContain("missing.yaml: cannot be read");
  });

  it("reports as JSON when the environment asks for it", async () => {
    const cwd = await folder();
    const { stderr } = await cli("sandbox --port x", { cwd, env: { ONBOARD_BATCH_JSON: "true" } });
    expect(stderr.trimEnd().split("\n").at(-1)).toMatch(/^\{"type":"error","exitCode":2,/);
  });
});

describe("sandbox", () => {
  it.each(["SIGINT", "SIGTERM"])("answers until %s and exits 0", async (signal) => {
    const { io, whenStdout, signals, stderr } = fakeIo({ cwd: await folder() });
    const ended = runCli(["sandbox", "--port", "0"], io);
    const url = (await whenStdout(/\n/)).trim();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/$/);
    const card = await fetch(`${url}.well-known/agent-card.json`);
    expect(card.status).toBe(200);
    signals.emit(signal);
    expect(await ended).toBe(0);
    expect(stderr()).toContain("Ctrl-C");
    expect(signals.listenerCount(signal)).toBe(0);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("gives its address as JSON and warns about an open key file", async () => {
    const cwd = await folder();
    await writeFile(path.join(cwd, "key"), "k", { mode: 0o644 });
    const { io, whenStdout, signals, stderr } = fakeIo({
      cwd,
      env: { ONBOARD_BATCH_API_KEY_FILE: "key" },
    });
    const ended = runCli(["sandbox", "--port", "0", "--json", "--quiet"], io);
    const address: unknown = JSON.parse(await whenStdout(/\}\n/));
    expect(address).toEqual({
      url: expect.stringContaining("http://127.0.0.1:"),
      port: expect.any(Number),
    });
    signals.emit("SIGINT");
    expect(await ended).toBe(0);
    expect(stderr()).toMatch(/^warning: .*chmod 600 .*\n$/);
  });

  it("takes pace, faults and address from a file", async () => {
    const cwd = await folder();
    await writeFile(
      path.join(cwd, "faults.yaml"),
      "host: localhost\nport: 0\nseed: 7\nfaults: []\n",
    );
    const { io, whenStdout, signals } = fakeIo({ cwd });
    const ended = runCli(["sandbox", "--faults", "faults.yaml"], io);
    expect(await whenStdout(/\n/)).toMatch(/^http:\/\/localhost:\d+\/\n$/);
    signals.emit("SIGINT");
    expect(await ended).toBe(0);
  });

  it.each([
    [
      "faults:\n  - effect: {kind: reset}\n  - effect:\n      kind: explode\n",
      "faults.yaml:4:7: faults.1.effect.kind: ",
    ],
    ["port: many\n", "faults.yaml:1:1: port: "],
    ["# mine\nprot: 1\n", 'faults.yaml:2:1: "prot" is not known'],
    ["faults: [\n", "faults.yaml:2:1: "],
  ])("refuses a faults file with the place of the fault (%#)", async (text, fault) => {
    const cwd = await folder();
    await writeFile(path.join(cwd, "faults.yaml"), text);
    const { code, stderr } = await cli("sandbox --faults faults.yaml", { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain(fault);
  });
});
