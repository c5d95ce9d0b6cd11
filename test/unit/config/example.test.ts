import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load.ts";
import { SETTINGS } from "../../../src/config/settings.ts";
import { readYamlFile, type YamlEntry } from "../../../src/config/yaml-file.ts";

const EXAMPLE = path.resolve("config/onboard-batch.example.yaml");

interface Leaf {
  readonly key: string;
  readonly place: string;
}

/** The settings of the file: what stands below one that is a mapping is its value. */
function leaves(entries: readonly YamlEntry[], section = ""): Leaf[] {
  return entries.flatMap(({ key, place, entries: inner = [] }) => {
    const dotted = `${section}${key}`;
    const isSetting = SETTINGS.some((setting) => setting.key === dotted);
    return isSetting || inner.length === 0 ? [{ key: dotted, place }] : leaves(inner, `${dotted}.`);
  });
}

describe("config/onboard-batch.example.yaml", () => {
  it("equals the defaults", async () => {
    const empty = await mkdtemp(path.join(tmpdir(), "onboard-example-"));
    const input = { env: {}, cwd: empty, home: empty };
    const example = await loadConfig({ ...input, flags: { config: EXAMPLE } });
    const defaults = await loadConfig({ ...input, flags: {} });
    await rm(empty, { recursive: true });
    expect(example.config).toEqual(defaults.config);
    expect(example.sources.get("rate")).toContain("onboard-batch.example.yaml");
  });

  it("names every setting once, in the order of the help", async () => {
    const { entries } = await readYamlFile(EXAMPLE);
    expect(leaves(entries).map(({ key }) => key)).toEqual(SETTINGS.map(({ key }) => key));
  });

  it("explains every setting on the line before it", async () => {
    const lines = (await readFile(EXAMPLE, "utf8")).split("\n");
    const { entries } = await readYamlFile(EXAMPLE);
    for (const { place } of leaves(entries)) {
      const line = Number(place.split(":").at(-2));
      expect(lines[line - 2]?.trim(), `line ${line}`).toMatch(/^# \S/);
    }
  });
});
