import { expect, test } from "vitest";
import {
  isNewEnough,
  parseServerVersion,
  parseVersionLine,
} from "../../../src/redis/server-version.js";

test("the version line of a Redis and of a Valkey is read", () => {
  expect(
    parseVersionLine("Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc bits=64\n"),
  ).toEqual({
    major: 7,
    minor: 0,
    text: "7.0.15",
  });
  expect(parseVersionLine("Valkey server v=8.1.0 sha=0 malloc=libc bits=64")?.text).toBe("8.1.0");
});
test("what is no version is none", () => {
  expect(parseVersionLine("usage: something else")).toBeUndefined();
  expect(parseServerVersion("unstable")).toBeUndefined();
});
test.each([
  ["5.0.14", false],
  ["6.0.16", false],
  ["6.2.0", true],
  ["7.0.0", true],
  ["10.0.1", true],
])("%s is new enough: %s", (text, expected) => {
  const version = parseServerVersion(text);
  expect(version && isNewEnough(version)).toBe(expected);
});
