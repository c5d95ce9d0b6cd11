import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { readOutputs } from "../helpers/run-outputs.ts";
import { openStage } from "../helpers/stage.ts";

const AT_ONCE = { duration: { kind: "fixed", ms: 0 } } as const;

describe.concurrent("the form of the outputs", () => {
  test("is as flags and configuration say: columns, whole tasks, for spreadsheets", async (context) => {
    const stage = await openStage(context);
    await stage.agent(AT_ONCE);
    const config = await stage.write(
      "forms.yaml",
      [
        "agent: {acceptedOutputModes: [text/plain, application/json]}",
        "results: {columns: {city: /city, town: {pattern: ' (?<t>[^ ,]+), [A-Z]{2}[.]$', group: t}}}",
      ].join("\n"),
    );
    const file = await stage.partners(2);
    const end = await stage.run("run", file, "--config", config, "--jsonl");
    expect(end.exitCode, end.stderr).toBe(0);
    const { results, summary, dir } = await readOutputs(stage.outDir);
    // Structured data comes only to those who ask for it.
    expect(JSON.parse(results.rows[0]?.["onboard_data"] ?? "")).toMatchObject({ city: "Bonn" });
    expect(results.rows[0]).toMatchObject({ town: "Bonn" });
    expect(Object.values(results.rows[0] ?? {})).toContain("Bonn");
    expect(summary.files).toEqual(expect.arrayContaining(["report.html", "results.jsonl"]));
    const lines = (await readFile(path.join(dir, "results.jsonl"), "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[1] ?? "")).toMatchObject({
      row: 2,
      input: { name: "Partner 2 GmbH" },
      outcome: {
        source: "artifact",
        artifacts: [
          {
            name: "Onboarding data",
            parts: [
              { text: expect.stringContaining("Partner 2 GmbH") },
              { data: { name: "Partner 2 GmbH" } },
            ],
          },
        ],
      },
      columns: { town: "Bonn" },
    });

    const report = await stage.run("report", stage.runId, "--excel");
    expect(report.exitCode, report.stderr).toBe(0);
    const excel = await readFile(path.join(dir, "results.csv"), "utf8");
    expect(excel).toMatch(/^\uFEFF.*;onboard_files;cdq_name;.*;cdq_country\r\n/);
    expect(await readFile(path.join(dir, "failures.csv"), "utf8")).toMatch(/^\uFEFF.*\r\n$/);
    expect(report.stdout).toContain("results.jsonl");
  });

  test("asks for no form of answer unless told to, and takes CDQ's line apart", async (context) => {
    const stage = await openStage(context);
    await stage.agent(AT_ONCE);
    const end = await stage.run("run", await stage.partners(1));
    expect(end.exitCode, end.stderr).toBe(0);
    const { results, names } = await readOutputs(stage.outDir);
    expect(results.rows[0]).toMatchObject({
      onboard_data: "",
      cdq_name: "Partner 1 GmbH",
      cdq_city: "Bonn",
      cdq_country: "DE",
    });
    expect(names).not.toContain("results.jsonl");
  });

  test("is refused where it is set wrongly, before anything is sent", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent(AT_ONCE);
    const config = await stage.write("bad.yaml", "results:\n  columns:\n    vat: vat\n");
    const end = await stage.run("run", await stage.partners(1), "--config", config);
    expect(end.exitCode).toBe(2);
    expect(end.stderr).toContain(`${config}:3:5: vat: a JSON pointer begins with /`);
    expect(agent.stats().tasks).toBe(0);
  });
});
