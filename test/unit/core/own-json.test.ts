import { expect, it } from "vitest";
import { parseOwnJson } from "../../../src/core/own-json.ts";

it("gives back what this program wrote", () => {
  expect(parseOwnJson<{ a: number }>('{"a":1}')).toEqual({ a: 1 });
});

it("throws at what is no JSON, so that nothing damaged is taken for a value", () => {
  expect(() => parseOwnJson('{"a":')).toThrow(SyntaxError);
});
