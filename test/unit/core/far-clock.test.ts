import { describe, expect, test } from "vitest";
import { createFarClock } from "../../../src/core/far-clock.ts";

describe("the far clock", () => {
  test("takes the other clock to be read in the middle of the way", () => {
    const clock = createFarClock(0);
    clock.note({ askedAtMs: 100, answeredAtMs: 104, farMs: 5_002 });
    expect(clock.toOwnMs(5_002)).toBe(102);
    expect(clock.toFarMs(102)).toBe(5_002);
  });

  test("is guessed before it was ever read", () => {
    expect(createFarClock(1_000).toFarMs(5)).toBe(1_005);
  });

  test("is not led astray by an answer that was late", () => {
    const clock = createFarClock(0);
    clock.note({ askedAtMs: 100, answeredAtMs: 102, farMs: 5_001 });
    clock.note({ askedAtMs: 200, answeredAtMs: 400, farMs: 5_101 });
    expect(clock.toOwnMs(5_101)).toBe(201);
  });

  test("takes a faster answer at once", () => {
    const clock = createFarClock(0);
    clock.note({ askedAtMs: 100, answeredAtMs: 300, farMs: 5_000 });
    clock.note({ askedAtMs: 400, answeredAtMs: 402, farMs: 5_311 });
    expect(clock.toOwnMs(5_311)).toBe(401);
  });

  test("gives an old reading up for a new one, since clocks drift", () => {
    const clock = createFarClock(0);
    clock.note({ askedAtMs: 100, answeredAtMs: 102, farMs: 5_001 });
    clock.note({ askedAtMs: 40_000, answeredAtMs: 40_100, farMs: 45_000 });
    expect(clock.toOwnMs(45_000)).toBe(40_050);
  });
});
