import { array, assert, constantFrom, property, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitizeForTerminal, toSafeJson } from "../../../src/cli/sanitize.ts";

/** Text that is full of what a terminal would obey, whole and in pieces. */
const hostile = string({
  unit: constantFrom(
    "\u001b",
    "[",
    "]",
    "(",
    ";",
    "0",
    "m",
    "\\",
    "\u0007",
    "\u0000",
    "\u007f",
    "\u0085",
    "\u009b",
    "\u009d",
    "\u202e",
    "\u2066",
    "\r",
    "\n",
    "\t",
    "\u00fc",
    "\u6f22",
  ),
});

describe("sanitizeForTerminal", () => {
  it.each([
    ["a\u001b[31mred\u001b[0m b", "ared b"],
    ["a\u001b]0;title\u0007b", "ab"],
    ["a\u001b]8;;https://evil\u001b\\link\u001b]8;;\u001b\\b", "alinkb"],
    ["a\u001b(Bb", "ab"],
    ["a\rb\bc\u0007", "abc"],
    ["\u009b31mx", "31mx"],
    ["user\u202egpj.exe", "usergpj.exe"],
    ["one\ntwo\tthree ü 漢", "one\ntwo\tthree ü 漢"],
  ])("makes %j harmless", (text, harmless) => {
    expect(sanitizeForTerminal(text)).toBe(harmless);
  });

  it("leaves no control character but line breaks and tabs in any text", () => {
    assert(
      property(hostile, (text) => {
        // oxlint-disable-next-line no-control-regex -- control characters are what must be gone
        expect(sanitizeForTerminal(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
      }),
    );
  });
});

describe("toSafeJson", () => {
  it("is the same document without a single control character", () => {
    assert(
      property(array(hostile), (value) => {
        const json = toSafeJson(value);
        expect(JSON.parse(json)).toEqual(value);
        // oxlint-disable-next-line no-control-regex -- control characters are what must be gone
        expect(json).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/);
      }),
    );
  });

  it("writes what turns the direction of text as an escape", () => {
    expect(toSafeJson({ a: "\u202e\u009b" })).toBe('{"a":"\\u202e\\u009b"}');
  });
});
