import { describe, expect, test } from "vitest";
import type { SandboxStats } from "../../src/sandbox/stats.ts";
import { openStage } from "../helpers/stage.ts";

const RATE = 20;
const ROWS = 200;

describe.concurrent("--rate 20", () => {
  test("never gives the agent more than 21 messages in any second, and sustains 97 %", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 200 } });
    const end = await stage.run("run", await stage.partners(ROWS), "--rate", String(RATE));
    expect(end.exitCode, end.stderr).toBe(0);
    const stats = agent.stats();
    expect(stats.calls.SendMessage).toBe(ROWS);
    expect(stats.maxSendPerSecond).toBeLessThanOrEqual(RATE + 1);
    expect(sendsPerSecond(stats)).toBeGreaterThanOrEqual(RATE * 0.97);
    expect(sendsPerSecond(stats)).toBeLessThanOrEqual(RATE);
  });

  test("holds for two processes with two files together", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 200 } });
    const files = [
      await stage.partners(ROWS / 2, "first.csv"),
      await stage.partners(ROWS / 2 + 1, "second.csv"),
    ];
    const runs = files.map((file, index) =>
      stage.run("run", file, "--rate", String(RATE), "--run-id", `${stage.runId}-${index}`),
    );
    const ends = await Promise.all(runs);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const stats = agent.stats();
    expect(stats.calls.SendMessage).toBe(ROWS + 1);
    expect(stats.maxSendPerSecond).toBeLessThanOrEqual(RATE + 1);
    expect(sendsPerSecond(stats)).toBeGreaterThanOrEqual(RATE * 0.97);
  });
});

/** From the first message to the last. */
function sendsPerSecond({ calls, firstSendAt, lastSendAt }: SandboxStats): number {
  const tookMs = Date.parse(lastSendAt ?? "") - Date.parse(firstSendAt ?? "");
  return ((calls.SendMessage - 1) * 1_000) / tookMs;
}
