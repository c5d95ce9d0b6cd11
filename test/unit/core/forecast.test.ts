import { expect, test } from "vitest";
import { forecastCalls } from "../../../src/core/forecast.ts";

test.each([
  [{ sendPerSecond: 5, pollPerSecond: 20 }, 200_000],
  [{ sendPerSecond: 50, pollPerSecond: 20 }, 50_000],
  [{ sendPerSecond: 50, pollPerSecond: 20, totalPerSecond: 8 }, 250_000],
])("at %j a thousand messages take %i ms, the slowest rate counts", (rates, durationMs) => {
  expect(forecastCalls(1_000, rates)).toEqual({ sendMessage: 1_000, getTask: 1_000, durationMs });
});

test("nothing to send takes no time", () => {
  expect(forecastCalls(0, { sendPerSecond: 5, pollPerSecond: 20 }).durationMs).toBe(0);
});
