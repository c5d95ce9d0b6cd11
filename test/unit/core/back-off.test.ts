import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeBackOffMs } from "../../../src/core/back-off.ts";

const ALMOST_ONE = 1 - Number.EPSILON;

describe("the back-off", () => {
  it.each([
    [1, 500],
    [2, 1_000],
    [3, 2_000],
    [4, 4_000],
    [5, 8_000],
    [6, 16_000],
    [7, 30_000],
    [8, 30_000],
    [10_000, 30_000],
  ])("waits after %d tries for %d ms at most", (triesMade, boundMs) => {
    expect(computeBackOffMs(triesMade, ALMOST_ONE)).toBe(boundMs);
  });

  it("has full jitter: from no wait at all to the bound, evenly", () => {
    expect(computeBackOffMs(3, 0)).toBe(0);
    expect(computeBackOffMs(3, 0.25)).toBe(500);
    expect(computeBackOffMs(3, 0.5)).toBe(1_000);
  });

  it("gives whole ms within 30 s, whatever the try", () => {
    const random = fc.double({ min: 0, max: ALMOST_ONE, noNaN: true });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), random, (tries, drawn) => {
        const delayMs = computeBackOffMs(tries, drawn);
        expect(Number.isInteger(delayMs)).toBe(true);
        expect(delayMs).toBeGreaterThanOrEqual(0);
        expect(delayMs).toBeLessThanOrEqual(30_000);
      }),
    );
  });
});
