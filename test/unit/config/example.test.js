import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { loadConfig } from "../../../src/config/load.js";
import { SETTINGS } from "../../../src/config/settings.js";
import { readYamlFile } from "../../../src/config/yaml-file.js";

const EXAMPLE = path.resolve("config/onboard-batch.example.yaml");
function leaves(entries, section = "") {
  return entries.flatMap(({ key, entries: inner }) =>
    inner === undefined || inner.length === 0
      ? [`${section}${key}`]
      : leaves(inner, `${section}${key}.`),
  );
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
    expect(leaves(entries)).toEqual(SETTINGS.map(({ key }) => key));
  });
  it("explains every setting on the line before it", async () => {
    const lines = (await readFile(EXAMPLE, "utf8")).split("\n");
    const { entries } = await readYamlFile(EXAMPLE);
    const places = (list) =>
      list.flatMap((entry) => (entry.entries?.length ? places(entry.entries) : [entry.place]));
    for (const place of places(entries)) {
      const line = Number(place.split(":").at(-2));
      expect(lines[line - 2]?.trim(), `line ${line}`).toMatch(/^# \S/);
    }
  });
});
