import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { OutputRow, RunOutputs } from "../helpers/run-outputs.ts";
import { readOutputs } from "../helpers/run-outputs.ts";
import type { Stage } from "../helpers/stage.ts";
import { openStage } from "../helpers/stage.ts";

const HEADER = "id,name,city\n";
/** All the same for the third and the fifth row. */
const FIRST_NIGHT = `${HEADER}1,Alpha,Bonn\n2,Beta,Ulm\n3,Gamma,Jena\n4,Fails,Ulm\n5,Gamma,Jena\n6,Asks,Ulm\n`;
/** The second row has moved, the last is new. */
const SECOND_NIGHT = `${HEADER}1,Alpha,Bonn\n2,Beta,Köln\n3,Gamma,Jena\n5,Gamma,Jena\n7,Delta,Ulm\n`;

async function runFile(stage: Stage, name: string, ...words: string[]): Promise<RunOutputs> {
  const runId = `${stage.runId}-${name}`;
  const file = path.join(stage.dir, `${name}.csv`);
  const end = await stage.run("run", file, "--run-id", runId, "--rate", "100", ...words);
  expect([0, 3], end.stderr).toContain(end.exitCode);
  return readOutputs(stage.outDir, runId);
}

const sources = ({ results }: RunOutputs): string[] =>
  results.rows.map((row) => row["onboard_source"] ?? "");

/** What the agent said, in every form: all but the run's own columns. */
function said(row: OutputRow | undefined): unknown {
  const own = /^onboard_(?:run_id|row|line|attempts|polls|source|duplicate_of|files)$/;
  return Object.fromEntries(Object.entries(row ?? {}).filter(([name]) => !own.test(name)));
}

describe.concurrent("--reuse", () => {
  test("sends what has no answer of an earlier run, and gives the others the same cells", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({
      duration: { kind: "fixed", ms: 0 },
      structured: true,
      faults: [
        {
          match: { textIncludes: "Gamma" },
          effect: { kind: "file", name: "extract.pdf", mediaType: "application/pdf", bytes: 7 },
        },
        { match: { textIncludes: "Fails" }, effect: { kind: "end", state: "FAILED" } },
        { match: { textIncludes: "Asks" }, effect: { kind: "end", state: "INPUT_REQUIRED" } },
      ],
    });
    await stage.write("first.csv", FIRST_NIGHT);
    const first = await runFile(stage, "first");
    expect(agent.stats().calls.SendMessage).toBe(5);
    expect(first.summary.reused).toBe(0);

    await stage.write("second.csv", SECOND_NIGHT);
    const second = await runFile(stage, "second", "--reuse", "30d");
    expect(agent.stats().calls.SendMessage).toBe(7);
    expect(sources(second)).toEqual(["reused", "artifact", "reused", "reused", "artifact"]);
    expect(second.summary).toMatchObject({ rows: { succeeded: 5 }, reused: 3 });
    const [alpha, , gamma, twin] = second.results.rows;
    expect(said(alpha)).toEqual(said(first.results.rows[0]));
    expect(said(gamma)).toEqual(said(first.results.rows[2]));
    expect(alpha).toMatchObject({ onboard_attempts: "0", onboard_polls: "0" });
    expect(twin).toMatchObject({
      onboard_duplicate_of: "3",
      onboard_text: gamma?.["onboard_text"],
    });
    const [{ path: file }] = JSON.parse(gamma?.["onboard_files"] ?? "[]") as [{ path: string }];
    expect(file).toMatch(/^files\/3-1-/);
    const written = await readFile(path.join(second.dir, file));
    expect(written).toEqual(await readFile(path.join(first.dir, file)));
    expect(written).toHaveLength(7);

    // Without it all is sent, and failures and questions are sent whatever is asked for.
    await stage.write("third.csv", FIRST_NIGHT);
    await runFile(stage, "third");
    expect(agent.stats().calls.SendMessage).toBe(12);
    await stage.write("fourth.csv", FIRST_NIGHT);
    const fourth = await runFile(stage, "fourth", "--reuse", "30d");
    expect(agent.stats().calls.SendMessage).toBe(14);
    expect(fourth.summary).toMatchObject({
      rows: { succeeded: 4, failed: 1, needsInput: 1 },
      reused: 4,
    });
  });
});
