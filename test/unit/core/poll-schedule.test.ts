import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PollSchedule } from "../../../src/core/poll-schedule.ts";
import { createPollSchedule } from "../../../src/core/poll-schedule.ts";

function learnMany(schedule: PollSchedule, count: number, endMs: number): void {
  for (let task = 0; task < count; task += 1) {
    schedule.learn({ atLeastMs: endMs - 10, atMostMs: endMs + 10 });
  }
}

describe("the first poll of a task", () => {
  it("comes after half a second while nothing is known of the agent", () => {
    expect(createPollSchedule().firstDelayMs()).toBe(500);
  });

  it("comes when tasks were last seen to end", () => {
    const schedule = createPollSchedule();
    schedule.learn({ atLeastMs: 900, atMostMs: 1_100 });
    expect(schedule.firstDelayMs()).toBe(1_000);
  });

  it("is not put off by a few slow tasks", () => {
    const schedule = createPollSchedule();
    learnMany(schedule, 50, 1_000);
    learnMany(schedule, 10, 60_000);
    expect(schedule.firstDelayMs()).toBe(1_000);
  });

  it("is put off when most tasks have become slow, however many were quick long ago", () => {
    const schedule = createPollSchedule();
    learnMany(schedule, 1_000, 1_000);
    learnMany(schedule, 64, 5_000);
    expect(schedule.firstDelayMs()).toBe(5_000);
  });

  it("comes a little earlier when a task had ended before the first look", () => {
    const schedule = createPollSchedule();
    schedule.learn({ atLeastMs: 0, atMostMs: 1_000 });
    expect(schedule.firstDelayMs()).toBe(850);
  });

  it("comes within 50 ms once an agent has shown to be that quick, so that no queue is needed", () => {
    const schedule = createPollSchedule();
    for (let task = 0; task < 64; task += 1) schedule.learn({ atLeastMs: 0, atMostMs: 30 });
    expect(schedule.firstDelayMs()).toBeLessThan(50);
  });

  it("never comes later than after 30 s", () => {
    const schedule = createPollSchedule();
    learnMany(schedule, 5, 600_000);
    expect(schedule.firstDelayMs()).toBe(30_000);
  });
});

describe("a later poll", () => {
  it.each([
    [1_000, 188, 313],
    [10_000, 1_875, 3_125],
    [0, 15, 25],
    [600_000, 30_000, 30_000],
  ])("of a task of %d ms comes after %d to %d ms", (ageMs, leastMs, mostMs) => {
    const schedule = createPollSchedule();
    expect(schedule.nextDelayMs(ageMs, 0)).toBe(leastMs);
    expect(schedule.nextDelayMs(ageMs, 1 - Number.EPSILON)).toBe(mostMs);
  });

  it("comes neither at once nor later than after 30 s, whatever the age", () => {
    const schedule = createPollSchedule();
    const random = fc.double({ min: 0, max: 1 - Number.EPSILON, noNaN: true });
    fc.assert(
      fc.property(fc.nat(100_000_000), random, (ageMs, drawn) => {
        const delayMs = schedule.nextDelayMs(ageMs, drawn);
        expect(delayMs).toBeGreaterThanOrEqual(15);
        expect(delayMs).toBeLessThanOrEqual(30_000);
      }),
    );
  });
});

/** Follows tasks of an agent as the steps do, and measures what that costs once it has learnt. */
function followTasks(durationOf: (task: number) => number): { polls: number; lateMs: number } {
  const schedule = createPollSchedule();
  const LEARNING = 200;
  const MEASURED = 400;
  let polls = 0;
  let lateMs = 0;
  for (let task = 0; task < LEARNING + MEASURED; task += 1) {
    const durationMs = durationOf(task);
    let atLeastMs = 0;
    let ageMs = schedule.firstDelayMs();
    let asked = 1;
    for (; ageMs < durationMs; asked += 1) {
      atLeastMs = ageMs;
      ageMs += schedule.nextDelayMs(ageMs, ((task + asked) * 0.618_034) % 1);
    }
    schedule.learn({ atLeastMs, atMostMs: ageMs });
    if (task < LEARNING) continue;
    polls += asked;
    lateMs += ageMs - durationMs;
  }
  return { polls: polls / MEASURED, lateMs: lateMs / MEASURED };
}

describe("the schedule as a whole", () => {
  it.each([60, 1_000, 20_000])(
    "needs at most two polls a task of an even agent (%d ms) and finds its end soon",
    (durationMs) => {
      const { polls, lateMs } = followTasks(() => durationMs);
      expect(polls).toBeLessThanOrEqual(2);
      expect(lateMs).toBeLessThan(durationMs * 0.25 + 20);
    },
  );

  it("needs at most two polls a task of an agent whose tasks take 2 to 6 s", () => {
    const { polls, lateMs } = followTasks((task) => 2_000 + ((task * 7_919) % 4_000));
    expect(polls).toBeLessThanOrEqual(2);
    expect(lateMs).toBeLessThan(2_000);
  });
});
