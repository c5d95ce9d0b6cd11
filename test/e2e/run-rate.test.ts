import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, expect, test } from "vitest";
import type { SandboxStats } from "../../src/sandbox/stats.ts";
import { openStage } from "../helpers/stage.ts";

const RATE = 20;
const ROWS = 200;

/** A busy machine holds calls up after they have left the gate. */
const TRIES = { retry: 2 };

describe("--rate 20", TRIES, () => {
  test("never gives the agent more than 21 messages in any second, and sustains 97 %", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 200 } });
    const stall = watchStalls();
    const end = await stage.run("run", await stage.partners(ROWS), "--rate", String(RATE));
    expect(end.exitCode, end.stderr).toBe(0);
    const stats = agent.stats();
    expect(stats.calls.SendMessage).toBe(ROWS);
    expect(stats.maxSendPerSecond).toBeLessThanOrEqual(RATE + 1 + stall.collected());
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
    const stall = watchStalls();
    const runs = files.map((file, index) =>
      stage.run("run", file, "--rate", String(RATE), "--run-id", `${stage.runId}-${index}`),
    );
    const ends = await Promise.all(runs);
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    const stats = agent.stats();
    expect(stats.calls.SendMessage).toBe(ROWS + 1);
    expect(stats.maxSendPerSecond).toBeLessThanOrEqual(RATE + 1 + stall.collected());
    expect(sendsPerSecond(stats)).toBeGreaterThanOrEqual(RATE * 0.97);
  });
});

/**
 * The agent lives in this process: calls that come while it stalls arrive together after. Gives how
 * many that can have been at most; none on a machine that is not overloaded.
 */
function watchStalls(): { collected(): number } {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  return {
    collected() {
      delays.disable();
      const longestMs = delays.max / 1_000_000;
      return Math.floor((longestMs * RATE) / 1_000);
    },
  };
}

/** From the first message to the last. */
function sendsPerSecond({ calls, firstSendAt, lastSendAt }: SandboxStats): number {
  const tookMs = Date.parse(lastSendAt ?? "") - Date.parse(firstSendAt ?? "");
  return ((calls.SendMessage - 1) * 1_000) / tookMs;
}
