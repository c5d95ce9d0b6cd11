import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { sandboxOptionsSchema } from "../../../src/sandbox/options.ts";

const example = readFileSync("config/sandbox-faults.example.yaml", "utf8");
const EFFECT_KINDS = sandboxOptionsSchema.shape.faults
  .unwrap()
  .element.shape.effect.options.map((option) => option.shape.kind.value);

test("the example file holds every option with its default", () => {
  const given = parse(example) as Record<string, unknown>;
  const { faults, limit, ...rest } = sandboxOptionsSchema.parse(given);
  const { faults: none, ...defaults } = sandboxOptionsSchema.parse({});
  expect(rest).toEqual(defaults);
  expect(none).toEqual([]);
  expect(limit).toBeDefined();
  for (const name of Object.keys(sandboxOptionsSchema.shape)) {
    expect(example).toMatch(new RegExp(`^(# )?${name}:`, "m"));
  }
  expect(new Set(faults.map(({ effect }) => effect.kind))).toEqual(new Set(EFFECT_KINDS));
});

test.each([
  ["an unknown option", { sed: 1 }],
  ["an unknown effect", { faults: [{ effect: { kind: "explode" } }] }],
  ["an unknown key in a match", { faults: [{ match: { row: 1 }, effect: { kind: "reset" } }] }],
  ["a share above 1", { faults: [{ match: { share: 5 }, effect: { kind: "reset" } }] }],
  [
    "a message for polls",
    { faults: [{ match: { method: "GetTask" }, effect: { kind: "message" } }] },
  ],
])("refuses %s", (_what, options) => {
  expect(sandboxOptionsSchema.safeParse(options).success).toBe(false);
});
