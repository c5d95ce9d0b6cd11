import { expect, it } from "vitest";
import { uniqueNames } from "../../../src/core/unique-names.ts";

it.each([
  [["a", "b"], [], ["a", "b"]],
  [["a", "A", "a"], [], ["a", "A_2", "a_3"]],
  [["a", "a_2", "a"], [], ["a", "a_2", "a_3"]],
  [["city"], ["City", "city_2"], ["city_3"]],
  [["", ""], [], ["", "_2"]],
])("%j beside %j become %j", (names, taken, unique) => {
  expect(uniqueNames(names, taken)).toEqual(unique);
});
