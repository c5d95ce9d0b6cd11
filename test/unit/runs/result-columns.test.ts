import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import type { ResultColumn } from "../../../src/core/result-columns.ts";
import { createTextMatcher } from "../../../src/runs/match-texts.ts";
import { writeOutputs } from "../../../src/runs/write-outputs.ts";
import { FORM, failed, makeRun, type RunFixture, SETTINGS, succeeded } from "./run-fixture.ts";

/** Needs 2^n steps for n letters a and no end. */
const SLOW = "^(?<x>(?:a+)+)$";
const HOSTILE = `${"a".repeat(60)}!`;

function pointer(name: string, ...tokens: string[]): ResultColumn {
  return { name, source: { kind: "pointer", tokens } };
}

function group(name: string, pattern: string): ResultColumn {
  return { name, source: { kind: "group", pattern, group: "x" } };
}

interface Written {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly warnings: readonly string[];
}

async function write(
  { folder, plan }: RunFixture,
  columns: readonly ResultColumn[],
): Promise<Written> {
  const { warnings } = await writeOutputs({
    runId: SETTINGS.runId,
    folder,
    plan,
    form: { ...FORM, jsonl: true, columns },
    unprocessed: "PENDING",
    readAt: "2026-11-30T20:00:00.000Z",
  });
  const [header = [], ...rows] = parse(await readFile(folder.results, "utf8"));
  return { header, rows, warnings };
}

describe("the configured columns", () => {
  it("come last in results.csv alone, empty where the answer has nothing for them", async () => {
    const run = await makeRun("name\nACME\nGlobex\nInitech\nHooli\n");
    await run.journal(
      succeeded(1, { text: "in Bonn.", data: [{ vat: "DE1" }] }),
      succeeded(2, { text: "nowhere", data: [{ vat: ["DE2"] }] }),
      failed(3),
      succeeded(4, { text: "in Ulm.", data: [] }),
    );
    const columns = [group("town", "in (?<x>\\w+)\\."), pointer("vat", "vat")];
    const { header, rows } = await write(run, columns);
    expect(header.slice(-3)).toEqual(["onboard_files", "town", "vat"]);
    expect(rows.map((row) => row.slice(-2))).toEqual([
      ["Bonn", "DE1"],
      ["", '["DE2"]'],
      ["Ulm", ""],
    ]);
    expect(await readFile(run.folder.failures, "utf8")).not.toContain("town");
    const [line = ""] = (await readFile(run.folder.resultsJsonl, "utf8")).split("\n");
    expect(JSON.parse(line)).toMatchObject({ columns: { town: "Bonn", vat: "DE1" } });
  });

  it("never have the name of an input column, in either case", async () => {
    const run = await makeRun("name,Town,town_2\nACME,a,b\n");
    await run.journal(succeeded(1, { text: "x" }));
    const { header, rows } = await write(run, [group("town", "(?<x>x)"), pointer("name")]);
    expect(header.slice(0, 3)).toEqual(["name", "Town", "town_2"]);
    expect(header.slice(-2)).toEqual(["town_3", "name_2"]);
    expect(rows[0]?.slice(0, 3)).toEqual(["ACME", "a", "b"]);
  });

  it("are harmless for a spreadsheet, being the agent's words", async () => {
    const run = await makeRun("name\nACME\n");
    await run.journal(succeeded(1, { text: "=1+1", data: [{ a: "@x" }] }));
    const { rows } = await write(run, [group("g", "(?<x>.*)"), pointer("p", "a")]);
    expect(rows[0]?.slice(-2)).toEqual(["'=1+1", "'@x"]);
  });

  it("are filled over many rows, in order", async () => {
    const names = Array.from({ length: 1_100 }, (_, index) => `p${index + 1}`);
    const run = await makeRun(`name\n${names.join("\n")}\n`);
    await run.journal(...names.map((name, index) => succeeded(index + 1, { text: `<${name}>` })));
    const { rows } = await write(run, [group("g", "<(?<x>.*)>")]);
    expect(rows.map((row) => row.at(-1))).toEqual(names);
  });

  it("of a pattern that takes too long stay empty, and the others do not", async () => {
    const run = await makeRun("name\nA\nB\nC\nD\nE\n");
    await run.journal(
      ...[1, 2, 3, 4].map((row) => succeeded(row, { text: HOSTILE })),
      succeeded(5, { text: "aaa" }),
    );
    const { rows, warnings } = await write(run, [group("slow", SLOW), group("quick", "(?<x>!)")]);
    expect(rows.map((row) => row.slice(-2))).toEqual([
      ["", "!"],
      ["", "!"],
      ["", "!"],
      ["", "!"],
      ["", ""],
    ]);
    expect(warnings).toEqual(["results.columns: slow stayed empty, its pattern takes too long"]);
  });
});

describe("a pattern that takes too long for some texts", () => {
  it("costs only their cells", () => {
    const matcher = createTextMatcher(SLOW, 100);
    expect(matcher.match(["aa", HOSTILE, "aaa", "b"])).toEqual([
      { x: "aa" },
      undefined,
      { x: "aaa" },
      undefined,
    ]);
    expect(matcher.hasGivenUp()).toBe(false);
  });

  it("is given up after three of them", () => {
    const matcher = createTextMatcher(SLOW, 50);
    matcher.match([HOSTILE, HOSTILE, HOSTILE]);
    expect(matcher.hasGivenUp()).toBe(true);
    expect(matcher.match(["aa"])).toEqual([undefined]);
  });
});
