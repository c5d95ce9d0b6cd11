import { describe, expect, it } from "vitest";
import type { TaskClock } from "../../../src/core/task-age.ts";
import { advanceTaskAge } from "../../../src/core/task-age.ts";

const CLOCK: TaskClock = { ageMs: 10_000, askedAtMs: 1_000_000, plannedDelayMs: 5_000 };

describe("the age that counts against --task-timeout", () => {
  it.each([
    ["what passed, when the poll comes as planned", 5_000, 15_000],
    ["what passed, when it comes early", 2_000, 12_000],
    ["what passed, when it comes a little late", 5_900, 15_900],
    ["a second more than was planned at most, when no process ran for an hour", 3_600_000, 16_000],
    ["nothing, when the clock was set back", -60_000, 10_000],
  ])("grows by %s", (_what, passedMs, ageMs) => {
    expect(advanceTaskAge(CLOCK, CLOCK.askedAtMs + passedMs, true)).toBe(ageMs);
  });

  it("stands still while the agent cannot be asked", () => {
    expect(advanceTaskAge(CLOCK, CLOCK.askedAtMs + 5_000, false)).toBe(10_000);
  });
});
