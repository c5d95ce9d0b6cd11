import { expect, test } from "vitest";
import { createSendLimit } from "../../../src/sandbox/send-limit.ts";
import { createSlidingWindow } from "../../../src/sandbox/sliding-window.ts";

test("the window is closed at both ends", () => {
  const window = createSlidingWindow(1000);
  expect(window.oldestMs()).toBeUndefined();
  expect(window.add(0)).toBe(1);
  expect(window.add(1000)).toBe(2);
  expect(window.add(1000.001)).toBe(2);
  expect(window.oldestMs()).toBe(1000);
  expect(window.countAt(3000)).toBe(0);
});

test("counts exactly what a plain search counts, over more events than fit at first", () => {
  const window = createSlidingWindow(1000);
  const times: number[] = [];
  let nowMs = 0;
  for (let event = 0; event < 3000; event += 1) {
    nowMs += event % 900 === 0 ? 700 : (event * 7919) % 13;
    times.push(nowMs);
    expect(window.add(nowMs)).toBe(times.filter((time) => time >= nowMs - 1000).length);
  }
});

test("a limit counts only the sends it let through", () => {
  const check = createSendLimit({ sendPerSecond: 2, windowMs: 1000 });
  expect(check(0).kind).toBe("pass");
  expect(check(10).kind).toBe("pass");
  expect(check(20)).toEqual({ kind: "throttled", retryAfterSeconds: 1 });
  expect(check(999).kind).toBe("throttled");
  expect(check(1001).kind).toBe("pass");
  expect(check(1002).kind).toBe("throttled");
});

test("a limit of less than one send a window still lets one through", () => {
  const check = createSendLimit({ sendPerSecond: 0.1, windowMs: 1000 });
  expect(check(0).kind).toBe("pass");
  expect(check(1)).toEqual({ kind: "throttled", retryAfterSeconds: 10 });
  expect(check(10_001).kind).toBe("pass");
});

test("without a limit everything passes", () => {
  expect(createSendLimit(undefined)(0).kind).toBe("pass");
});
