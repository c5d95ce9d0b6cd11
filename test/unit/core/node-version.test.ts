import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { isSupportedNode, SUPPORTED_NODE } from "../../../src/core/node-version.ts";

it("names the versions that the package does", () => {
  const text = readFileSync(new URL("../../../package.json", import.meta.url), "utf8");
  expect(JSON.parse(text)).toMatchObject({ engines: { node: SUPPORTED_NODE } });
});

it.for([
  ["18.20.0", false],
  ["20.18.3", false],
  ["20.19.0", true],
  ["20.20.2", true],
  ["21.7.0", false],
  ["22.11.0", false],
  ["22.12.0", true],
  ["23.9.0", false],
  ["24.0.0", true],
  ["26.1.0", true],
] as const)("tells whether %s is one of them", ([version, isOne]) => {
  expect(isSupportedNode(version)).toBe(isOne);
});
