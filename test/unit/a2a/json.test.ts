import { expect, it } from "vitest";
import { isDeeperThan } from "../../../src/a2a/json.ts";

it("counts lists and objects that lie inside each other", () => {
  expect(isDeeperThan("x", 0)).toBe(false);
  expect(isDeeperThan([], 0)).toBe(true);
  expect(isDeeperThan([{ a: [1] }], 3)).toBe(false);
  expect(isDeeperThan([{ a: [1] }], 2)).toBe(true);
});

it("does not overflow the stack on a hundred thousand levels", () => {
  const deep: unknown = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  expect(isDeeperThan(deep, 64)).toBe(true);
});
