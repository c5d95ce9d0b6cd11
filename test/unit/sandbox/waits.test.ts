import { expect, test } from "vitest";
import { createWaits } from "../../../src/sandbox/waits.ts";

const HOUR_MS = 3_600_000;

function countTimers(): number {
  return process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;
}

test("a wait ends by its time", async () => {
  const startedAt = performance.now();
  await createWaits().wait(5, "a");
  expect(performance.now() - startedAt).toBeGreaterThan(3.9);
});

test("wake ends the waits of its key only", async () => {
  const waits = createWaits();
  const ended: string[] = [];
  const all = ["a", "a", "b"].map((key) => waits.wait(HOUR_MS, key).then(() => ended.push(key)));
  waits.wake("a");
  await Promise.all(all.slice(0, 2));
  expect(ended).toEqual(["a", "a"]);
  waits.stop();
  await Promise.all(all);
});

test("stop ends all, clears the timers, and lets nobody wait any more", async () => {
  const waits = createWaits();
  const before = countTimers();
  const all = ["a", "b"].map((key) => waits.wait(HOUR_MS, key));
  expect(countTimers()).toBe(before + 2);
  waits.stop();
  await Promise.all(all);
  expect(countTimers()).toBe(before);
  await waits.wait(HOUR_MS, "c");
});

test("a wait longer than a timer can take does not end at once", async () => {
  const waits = createWaits();
  const long = waits.wait(2 ** 40, "a").then(() => "long");
  const short = createWaits()
    .wait(5, "b")
    .then(() => "short");
  expect(await Promise.race([long, short])).toBe("short");
  waits.stop();
  await long;
});
