import { expect, test } from "vitest";
import { hashText, mixHash, toUnit } from "../../../src/sandbox/hash.ts";
import { computeDurationMs } from "../../../src/sandbox/task-duration.ts";

const hashes = Array.from({ length: 4000 }, (_, row) => mixHash(hashText(`Firma ${row}`), 1));
const sorted = (numbers: number[]) => numbers.toSorted((left, right) => left - right);

test("a fixed duration is the same for all", () => {
  expect(computeDurationMs({ kind: "fixed", ms: 5 }, 1)).toBe(5);
});

test("a uniform duration fills its range and nothing else", () => {
  const setting = { kind: "uniform", minMs: 10, maxMs: 20 } as const;
  const all = sorted(hashes.map((hash) => computeDurationMs(setting, hash)));
  expect(all[0]).toBeGreaterThanOrEqual(10);
  expect(all[0]).toBeLessThan(10.1);
  expect(all.at(-1)).toBeLessThanOrEqual(20);
  expect(all.at(-1)).toBeGreaterThan(19.9);
});

test("a lognormal duration has its median and spread, and never passes its bound", () => {
  const setting = { kind: "lognormal", medianMs: 800, sigma: 0.6, maxMs: 2000 } as const;
  const all = sorted(hashes.map((hash) => computeDurationMs(setting, hash)));
  expect(all[2000]).toBeGreaterThan(760);
  expect(all[2000]).toBeLessThan(840);
  // One standard deviation below the median lies 15.9 % of the way.
  expect(all[635]).toBeGreaterThan(800 * Math.exp(-0.6) * 0.95);
  expect(all[635]).toBeLessThan(800 * Math.exp(-0.6) * 1.05);
  expect(all.at(-1)).toBe(2000);
});

test("the same hash takes the same time, a near one another", () => {
  const setting = { kind: "uniform", minMs: 0, maxMs: 1000 } as const;
  expect(computeDurationMs(setting, 7)).toBe(computeDurationMs(setting, 7));
  expect(computeDurationMs(setting, 7)).not.toBe(computeDurationMs(setting, 8));
});

test("shares of a hash come out as they should", () => {
  const share = hashes.filter((hash) => toUnit(mixHash(hash, 3)) < 0.2).length / hashes.length;
  expect(share).toBeGreaterThan(0.18);
  expect(share).toBeLessThan(0.22);
});
