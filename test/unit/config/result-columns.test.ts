import { describe, expect, it } from "vitest";
import { setup } from "./setup.ts";

describe("results.columns", () => {
  it("are CDQ's address unless they are set", async () => {
    const { load } = await setup();
    const { columns } = (await load()).config.output;
    expect(columns.map(({ name }) => name)).toEqual([
      "cdq_name",
      "cdq_street",
      "cdq_postal_code",
      "cdq_city",
      "cdq_country",
    ]);
  });

  it("may be none at all", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml("results: {columns: {}}\n");
    expect((await load()).config.output.columns).toEqual([]);
  });

  it("are pointers and groups, in the order of the file", async () => {
    const { load, writeYaml } = await setup();
    await writeYaml(
      [
        "results:",
        "  columns:",
        "    vat: /ids/0/a~1b",
        "    City: { pattern: '(?<city>.+)', group: city }",
        "    all: ''",
      ].join("\n"),
    );
    expect((await load()).config.output.columns).toEqual([
      { name: "vat", source: { kind: "pointer", tokens: ["ids", "0", "a/b"] } },
      { name: "City", source: { kind: "group", pattern: "(?<city>.+)", group: "city" } },
      { name: "all", source: { kind: "pointer", tokens: [] } },
    ]);
  });

  it.each([
    ["name", "x: a JSON pointer begins with /"],
    ["7", "x: must be a JSON pointer such as /address/city, or {pattern, group}"],
    ["[a]", "x: must be a JSON pointer"],
    ["{pattern: a}", "x: needs both a pattern and a group"],
    ["{pattern: a, group: b, patern: c}", 'x: "patern" is not known; did you mean pattern?'],
    ["{pattern: '(', group: a}", "x: Invalid regular expression"],
    ["{pattern: 'a', group: a}", 'x: the pattern has no group "a"; it has none, write (?<city>…)'],
    ["{pattern: '(?<b>a)', group: a}", 'x: the pattern has no group "a"; it has b'],
  ])("refuses %s where it stands", async (value, fault) => {
    const { faultsOf, writeYaml } = await setup();
    const file = await writeYaml(`results:\n  columns:\n    good: /a\n    x: ${value}\n`);
    expect(await faultsOf()).toContain(`${file}:4:5: ${fault}`);
  });

  it.each([
    ["onboard_city: /a", "onboard_city: column names that begin with onboard_ are taken"],
    ["Onboard_x: /a", "Onboard_x: column names that begin with onboard_ are taken"],
    ["GOOD: /a", "GOOD: names the same column as good"],
    ["' x': /a", 'the column name " x" must not be empty or begin or end with a blank'],
    ["'': /a", 'the column name "" must not be empty'],
  ])("refuses the name in %s where it stands", async (line, fault) => {
    const { faultsOf, writeYaml } = await setup();
    const file = await writeYaml(`results:\n  columns:\n    good: /a\n    ${line}\n`);
    expect(await faultsOf()).toContain(`${file}:4:5: ${fault}`);
  });

  it("refuses what is no mapping", async () => {
    const { faultsOf, writeYaml } = await setup();
    const file = await writeYaml("results:\n  columns: [a]\n");
    expect(await faultsOf()).toContain(`${file}:2:12: must hold column: source lines`);
  });
});
