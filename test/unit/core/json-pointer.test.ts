import { describe, expect, it } from "vitest";
import { formatPointer, parsePointer, resolvePointer } from "../../../src/core/json-pointer.ts";

/** The document of RFC 6901 §5, and what each of its pointers means. */
const DOCUMENT = {
  foo: ["bar", "baz"],
  "": 0,
  "a/b": 1,
  "c%d": 2,
  "e^f": 3,
  "g|h": 4,
  "i\\j": 5,
  'k"l': 6,
  " ": 7,
  "m~n": 8,
};

function at(pointer: string, value: unknown = DOCUMENT): unknown {
  const parsed = parsePointer(pointer);
  if (parsed.kind === "problem") throw new Error(parsed.message);
  return resolvePointer(value, parsed.tokens);
}

describe("a JSON pointer", () => {
  it.each<[string, unknown]>([
    ["", DOCUMENT],
    ["/foo", ["bar", "baz"]],
    ["/foo/0", "bar"],
    ["/", 0],
    ["/a~1b", 1],
    ["/c%d", 2],
    ["/e^f", 3],
    ["/g|h", 4],
    ["/i\\j", 5],
    ['/k"l', 6],
    ["/ ", 7],
    ["/m~0n", 8],
  ])("%j means what RFC 6901 says", (pointer, value) => {
    expect(at(pointer)).toEqual(value);
  });

  it("unescapes ~01 to ~1, not to a slash", () => {
    expect(at("/~01", { "~1": "right", "/": "wrong" })).toBe("right");
  });

  it.each(["/foo/2", "/foo/-", "/foo/01", "/foo/length", "/none", "/foo/0/x", "/ /x", "/toString"])(
    "%j leads nowhere",
    (pointer) => {
      expect(at(pointer)).toBeUndefined();
    },
  );

  it.each(["", "/", "/a~1b/m~0n/~01/0"])("%j is written as it was read", (pointer) => {
    const parsed = parsePointer(pointer);
    expect(parsed.kind === "pointer" && formatPointer(parsed.tokens)).toBe(pointer);
  });

  it("finds what is null, and nothing in it", () => {
    expect(at("/a", { a: null })).toBeNull();
    expect(at("/a/b", { a: null })).toBeUndefined();
  });

  it.each([
    ["name", "begins with /"],
    ["#/name", "begins with /"],
    ["/a~b", "~0"],
    ["/a~", "~0"],
  ])("%j is none", (pointer, message) => {
    expect(parsePointer(pointer)).toEqual({
      kind: "problem",
      message: expect.stringContaining(message),
    });
  });
});
