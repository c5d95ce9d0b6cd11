import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withinLimit } from "../../../src/redis/time-limit.ts";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

test("work that is in time gives its value and leaves no timer", async () => {
  await expect(withinLimit(Promise.resolve(7), 1_000)).resolves.toEqual({ kind: "done", value: 7 });
  expect(vi.getTimerCount()).toBe(0);
});

test("work that fails rejects and leaves no timer", async () => {
  await expect(withinLimit(Promise.reject(new Error("broken")), 1_000)).rejects.toThrow("broken");
  expect(vi.getTimerCount()).toBe(0);
});

test("work that never ends is late", async () => {
  const result = withinLimit(new Promise<never>(() => {}), 1_000);
  await vi.advanceTimersByTimeAsync(1_000);
  await expect(result).resolves.toEqual({ kind: "late" });
});
