import { describe, expect, it } from "vitest";
import { parseHttpDate, parseRetryAfter, parseRetryDelay } from "../../../src/core/retry-after.ts";

const NOW_MS = Date.UTC(2026, 10, 30, 20, 0, 0);

describe("parseRetryAfter", () => {
  it.each([
    ["2", 2_000],
    [" 0 ", 0],
    ["1.5", 1_500],
    ["Mon, 30 Nov 2026 20:00:07 GMT", 7_000],
    ["Monday, 30-Nov-26 20:00:07 GMT", 7_000],
    ["Mon Nov 30 20:00:07 2026", 7_000],
    ["Mon, 30 Nov 2026 19:00:00 GMT", 0],
    ["86400", 3_600_000],
    ["Tue, 01 Dec 2026 20:00:00 GMT", 3_600_000],
  ])("reads %j as %d ms", (text, waitMs) => {
    expect(parseRetryAfter(text, NOW_MS)).toBe(waitMs);
  });

  it.each(["", "-1", "soon", "Mon, nonsense", "1e9", "2026-11-30T20:00:07Z"])(
    "knows no time in %j",
    (text) => {
      expect(parseRetryAfter(text, NOW_MS)).toBeUndefined();
    },
  );
});

describe("parseHttpDate", () => {
  it("takes the asctime form for UTC, wherever the program runs", () => {
    expect(parseHttpDate("Mon Nov 30 20:00:00 2026")).toBe(NOW_MS);
  });
});

describe("parseRetryDelay", () => {
  it.each([
    ["3.5s", 3_500],
    ["0s", 0],
    ["90000s", 3_600_000],
    ["3.5", undefined],
    ["s", undefined],
    ["-1s", undefined],
  ])("reads %j as %s", (text, waitMs) => {
    expect(parseRetryDelay(text)).toBe(waitMs);
  });
});
