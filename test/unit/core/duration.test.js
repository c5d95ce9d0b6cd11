import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { describeDuration, formatDuration, parseDuration } from "../../../src/core/duration.js";

describe("parseDuration", () => {
  it.each([
    ["500ms", 500],
    ["30s", 30_000],
    ["15m", 900_000],
    ["2h", 7_200_000],
    ["14d", 1_209_600_000],
    ["1h30m", 5_400_000],
    ["1.5s", 1_500],
    [" 90s ", 90_000],
    ["0s", 0],
  ])("reads %s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });
  it.each(["", " ", "90", "s", "-5s", "5 s x", "30m1h", "1e3s", "5S", "NaNs"])(
    "refuses %j",
    (text) => {
      expect(parseDuration(text)).toBeUndefined();
    },
  );
});
describe("formatDuration", () => {
  it.each([
    [90_000, "90s"],
    [900_000, "15m"],
    [1_209_600_000, "14d"],
    [1_500, "1500ms"],
    [0, "0ms"],
  ])("writes %d ms as %s", (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
  it("is read back to the same duration", () => {
    fc.assert(
      fc.property(fc.nat(), (ms) => {
        expect(parseDuration(formatDuration(ms))).toBe(ms);
      }),
    );
  });
});
describe("describeDuration", () => {
  it.each([
    [-1, "0 s"],
    [4_600, "5 s"],
    [59_600, "1 min"],
    [153_000, "2 min 33 s"],
    [12_000_000, "3 h 20 min"],
    [7_200_000, "2 h"],
    [352_800_000, "4 d 2 h"],
  ])("tells %d ms as %s", (ms, text) => {
    expect(describeDuration(ms)).toBe(text);
  });
});
