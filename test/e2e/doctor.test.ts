import { describe, expect, test } from "vitest";
import type { Finding } from "../../src/core/finding.ts";
import type { Stage } from "../helpers/stage.ts";
import { openStage } from "../helpers/stage.ts";

interface Examined {
  readonly exitCode: number | null;
  /** What was looked at -> what came of it. */
  readonly verdicts: Readonly<Record<string, Finding["verdict"]>>;
  readonly findings: readonly Finding[];
}

async function examined(stage: Stage, ...words: string[]): Promise<Examined> {
  const end = await stage.run("doctor", "--json", ...words);
  const { findings, exitCode } = JSON.parse(end.stdout) as {
    findings: readonly Finding[];
    exitCode: number;
  };
  expect(exitCode).toBe(end.exitCode);
  const verdicts = Object.fromEntries(findings.map(({ what, verdict }) => [what, verdict]));
  return { exitCode: end.exitCode, verdicts, findings };
}

describe.concurrent("doctor", () => {
  test("finds all well, sends no message and leaves nothing behind", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ apiKey: "good-key-1234" });
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "good-key-1234" });
    await stage.privateRedis({ durable: true });
    const end = await stage.run("doctor");
    expect(end.exitCode, end.stdout).toBe(0);
    expect(end.stdout).toMatch(/^ok +Redis .*noeviction.*append-only file$/m);
    expect(end.stdout).toMatch(/^ok +API key +is accepted$/m);
    expect(end.stdout + end.stderr).not.toContain("good-key-1234");
    expect(agent.stats().calls).toMatchObject({ card: 1, SendMessage: 0, GetTask: 1 });
    expect(agent.stats().tasks).toBe(0);
  });

  test("warns about a Redis that forgets, which runs can do with", async (context) => {
    const stage = await openStage(context);
    await stage.agent();
    await stage.privateRedis();
    const { exitCode, verdicts, findings } = await examined(stage);
    expect(exitCode).toBe(0);
    expect(verdicts).toMatchObject({ Node: "ok", Redis: "warn", Agent: "ok", "API key": "ok" });
    expect(findings.find(({ what }) => what === "Redis")).toMatchObject({
      found: expect.stringContaining("persistence none"),
      mend: expect.stringContaining("appendonly"),
    });
  });

  test("ends with 4 for a key that the agent refuses", async (context) => {
    const stage = await openStage(context);
    await stage.agent({ apiKey: "good-key-1234" });
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "bad-key-1234" });
    const { exitCode, findings } = await examined(stage);
    expect(exitCode).toBe(4);
    expect(JSON.stringify(findings)).not.toContain("bad-key-1234");
  });

  test("ends with 5 when something is not there, and looks at everything else all the same", async (context) => {
    const stage = await openStage(context);
    const nowhere = ["--redis", "redis://127.0.0.1:1", "--agent-url", "http://127.0.0.1:1/"];
    const { exitCode, verdicts } = await examined(stage, ...nowhere);
    expect(exitCode).toBe(5);
    expect(verdicts).toMatchObject({
      Redis: "fail",
      Agent: "fail",
      "Output folder": "ok",
      "State folder": "ok",
    });
  });

  test("ends with 2 for what only another configuration mends", async (context) => {
    const stage = await openStage(context);
    await stage.agent({ protocolVersion: "0.3.0" });
    await stage.privateRedis({ config: ["maxmemory-policy allkeys-lru"] });
    const file = await stage.write("a-file", "");
    const { exitCode, verdicts } = await examined(stage, "--out", `${file}/below`);
    expect(exitCode).toBe(2);
    expect(verdicts).toMatchObject({ Redis: "fail", Agent: "fail", "Output folder": "fail" });
  });

  test("says that there is no key for an agent elsewhere", async (context) => {
    const stage = await openStage(context);
    const { exitCode, verdicts } = await examined(stage, "--agent-url", "https://agent.invalid/");
    expect(exitCode).toBe(2);
    expect(verdicts).toMatchObject({ "API key": "fail", Agent: "fail" });
  });
});
