import { monitorEventLoopDelay } from "node:perf_hooks";
import { expect } from "vitest";
import type { SandboxStats } from "../../src/sandbox/stats.ts";
import type { StageAgent } from "./stage.ts";

/** Expectations of how fast an agent was sent messages, over everything that it has got so far. */
export interface PaceWatch {
  /** No second saw more than one message beyond the rate. */
  expectKept(): void;
  /** From the first message to the last at least 97 % of the rate, and never more than it. */
  expectSustained(): void;
}

/**
 * Watches an agent that lives in this process: calls that come while it stalls arrive together
 * afterwards, and count as many more as the rate gives in that time; none on a machine with nothing else to do.
 */
export function watchPace(agent: StageAgent, rate: number): PaceWatch {
  const delays = monitorEventLoopDelay({ resolution: 5 });
  delays.enable();
  return {
    expectKept() {
      const longestMs = delays.max / 1_000_000;
      const collected = Math.floor((longestMs * rate) / 1_000);
      expect(agent.stats().maxSendPerSecond).toBeLessThanOrEqual(rate + 1 + collected);
    },
    expectSustained() {
      expect(sendsPerSecond(agent.stats())).toBeGreaterThanOrEqual(rate * 0.97);
      expect(sendsPerSecond(agent.stats())).toBeLessThanOrEqual(rate);
    },
  };
}

/** From the first message to the last. */
function sendsPerSecond({ calls, firstSendAt, lastSendAt }: SandboxStats): number {
  const tookMs = Date.parse(lastSendAt ?? "") - Date.parse(firstSendAt ?? "");
  return ((calls.SendMessage - 1) * 1_000) / tookMs;
}
