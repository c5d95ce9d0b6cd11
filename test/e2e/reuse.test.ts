import { mkdir, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { OutputRow, RunOutputs } from "../helpers/run-outputs.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
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

function partners(from: number, to: number): string {
  const rows = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return rows.map((row) => `${row},Partner ${row} GmbH,Bonn\n`).join("");
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

    const changed = await stage.write("second.csv", SECOND_NIGHT);
    const checked = await stage.run("check", changed, "--reuse", "30d", "--json");
    expect(JSON.parse(checked.stdout)).toMatchObject({
      rows: { total: 5, duplicates: 1, messages: 4, reused: 2 },
      forecast: { sendMessage: 2 },
    });
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

  test("settles every row once when it is killed in the middle, by ingest and workers too", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 0 } });
    await stage.write("first.csv", `${HEADER}${partners(1, 300)}`);
    await runFile(stage, "first", "--rate", "1000", "--poll-rate", "1000");
    const file = await stage.write("second.csv", `${HEADER}${partners(1, 330)}`);
    const runId = `${stage.runId}-second`;
    const words = ["run", file, "--run-id", runId, "--rate", "20", "--reuse", "1h"];
    const watch = stage.watch(runId);
    const killed = stage.start(...words);
    await watch.until((reading) => Number(reading["reused"]) > 0);
    await killed.kill();
    const end = await stage.run(...words);
    expect(end.exitCode, end.stderr).toBe(0);
    expect(end.stderr).toContain("300 rows with answers of earlier runs, no call made for them");
    const second = await readOutputs(stage.outDir, runId);
    expect(allRows(second)).toEqual(rowsUpTo(330));
    expect(second.summary).toMatchObject({ rows: { total: 330, succeeded: 330 }, reused: 300 });
    expect(sources(second).filter((source) => source === "reused")).toHaveLength(300);
    expect(agent.stats().tasks).toBe(330);

    const worker = stage.start("worker");
    const third = `${stage.runId}-third`;
    const ingest = ["ingest", file, "--run-id", third, "--reuse", "1h"];
    // A template of its own is another question, also about a partner that is known.
    stage.setEnv({ XDG_CONFIG_HOME: stage.dir });
    await mkdir(path.join(stage.dir, "onboard-batch"));
    await stage.write(
      "onboard-batch/config.yaml",
      'message: { template: "Tell me about Name: {name}" }\nlimit: 4\nretention: { answers: 0 }\n',
    );
    const ingested = await stage.run(...ingest);
    expect(ingested.exitCode, ingested.stderr).toBe(0);
    const collected = await stage.run("collect", third);
    expect(collected.exitCode, collected.stderr).toBe(0);
    expect(agent.stats().tasks).toBe(334);
    // Its own retention is 0: nothing is kept, and nothing of before.
    expect(await readdir(path.join(stage.dir, "state/onboard-batch/reuse"))).toEqual([]);
    worker.signal("SIGTERM");
    await worker.ended;
  });

  test("is taken by ingest, written by collect, and not by another agent's run", async (context) => {
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 0 } });
    const file = await stage.write("first.csv", `${HEADER}${partners(1, 3)}`);
    await runFile(stage, "first");
    const runId = `${stage.runId}-ingested`;
    await stage.run("ingest", file, "--run-id", runId, "--reuse", "1h");
    const collected = await stage.run("collect", runId);
    expect(collected.exitCode, collected.stderr).toBe(0);
    expect(sources(await readOutputs(stage.outDir, runId))).toEqual(["reused", "reused", "reused"]);
    expect(agent.stats().calls.SendMessage).toBe(3);
    const other = await stage.agent({ duration: { kind: "fixed", ms: 0 } });
    const elsewhere = await stage.run("run", file, "--run-id", `${runId}-b`, "--reuse", "1h");
    expect(elsewhere.exitCode, elsewhere.stderr).toBe(0);
    expect(other.stats().calls.SendMessage).toBe(3);
  });
});
