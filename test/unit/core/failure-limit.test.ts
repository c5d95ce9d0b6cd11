import { expect, test } from "vitest";
import { parseFailureLimit } from "../../../src/core/failure-limit.ts";

test.each([
  ["0", { kind: "rows", rows: 0 }],
  ["20", { kind: "rows", rows: 20 }],
  [" 5 % ", { kind: "percent", percent: 5 }],
  ["0.5%", { kind: "percent", percent: 0.5 }],
  ["100%", { kind: "percent", percent: 100 }],
])("%s is a limit", (text, limit) => {
  expect(parseFailureLimit(text)).toEqual(limit);
});

test.each(["", "-1", "1.5", "101%", "%", "5 percent", "1e3", "٣"])("%s is none", (text) => {
  expect(parseFailureLimit(text)).toBeUndefined();
});
