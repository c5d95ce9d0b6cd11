import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import type { UnprocessedReason } from "../../../src/runs/output-cells.ts";
import type { OutputCounts } from "../../../src/runs/output-set.ts";
import { writeOutputs } from "../../../src/runs/write-outputs.ts";
import {
  FORM,
  failed,
  makeRun,
  needsInput,
  type RunFixture,
  refusalOf,
  SETTINGS,
  succeeded,
} from "./run-fixture.ts";

const READ_AT = "2026-11-30T20:00:00.000Z";
const SUBMITTED = "2026-11-30T20:00:00.000Z";
const FINISHED = "2026-11-30T20:00:04.500Z";

const RESULT_COLUMNS =
  "onboard_run_id,onboard_row,onboard_line,onboard_task_id,onboard_context_id,onboard_attempts,onboard_polls,onboard_submitted_at,onboard_finished_at,onboard_duplicate_of,onboard_source,onboard_artifact_name,onboard_text,onboard_data,onboard_files";
const FAILURE_COLUMNS =
  "onboard_run_id,onboard_row,onboard_line,onboard_stage,onboard_reason,onboard_code,onboard_message,onboard_retryable,onboard_task_id,onboard_attempts,onboard_finished_at,onboard_duplicate_of,onboard_raw";
const NEEDS_INPUT_COLUMNS =
  "onboard_run_id,onboard_row,onboard_line,onboard_task_id,onboard_context_id,onboard_question,onboard_answer";
const UNPROCESSED_COLUMNS = "onboard_run_id,onboard_row,onboard_line,onboard_reason";

async function write(
  { folder, plan }: RunFixture,
  unprocessed: UnprocessedReason = "PENDING",
): Promise<OutputCounts> {
  const { runId } = SETTINGS;
  return (
    await writeOutputs({
      runId,
      folder,
      plan,
      form: FORM,
      unprocessed,
      readAt: READ_AT,
    })
  ).counts;
}

/** Header and rows of a file whose cells have no line breaks. */
async function linesOf(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text.slice(0, -1).split("\n");
}

/** The last cells of a file's only row, behind the input's and the three of every file. */
async function tailOf(file: string): Promise<string> {
  const [, row = "", ...more] = await linesOf(file);
  expect(more).toEqual([]);
  return row;
}

describe("the output files", () => {
  it("have every row in exactly one of them, in input order, behind the input's own cells", async () => {
    const run = await makeRun(
      [
        "Name;City;Note",
        'ACME;Berlin;"says ""hi"", twice"',
        "Umbrella;Paris;",
        ";Rome;nameless",
        "Globex;Wien;x",
        "Initech;Bern;y",
        "ACME;Berlin;again",
        "Hooli;Oslo;z",
        "",
      ].join("\n"),
    );
    // Not in the order of the rows, as tasks end.
    await run.journal(
      failed(5, { reason: "TASK_REJECTED", message: "no, never", attempts: 3 }),
      needsInput(4, "Which Globex?"),
      succeeded(2),
      succeeded(1, { polls: 0, source: "status", artifactName: "" }),
    );
    expect(await write(run, "CANCELED")).toEqual({
      results: 3,
      failures: 2,
      needsInput: 1,
      unprocessed: 1,
    });
    expect(await linesOf(run.folder.results)).toEqual([
      `Name,City,Note,${RESULT_COLUMNS}`,
      `ACME,Berlin,"says ""hi"", twice",partners-1,1,2,task-1,context-1,1,0,${SUBMITTED},${FINISHED},,status,,partner 1,,[]`,
      `Umbrella,Paris,,partners-1,2,3,task-2,context-2,1,2,${SUBMITTED},${FINISHED},,artifact,profile,partner 2,,[]`,
      `ACME,Berlin,again,partners-1,6,7,task-1,context-1,1,0,${SUBMITTED},${FINISHED},1,status,,partner 1,,[]`,
    ]);
    expect(await linesOf(run.folder.failures)).toEqual([
      `Name,City,Note,${FAILURE_COLUMNS}`,
      expect.stringMatching(
        /^,Rome,nameless,partners-1,3,4,read,NAME_MISSING,,.+,false,,0,2026-11-30T20:00:00\.000Z,,;Rome;nameless$/,
      ),
      `Initech,Bern,y,partners-1,5,6,track,TASK_REJECTED,,"no, never",false,task-5,3,${FINISHED},,`,
    ]);
    expect(await linesOf(run.folder.needsInput)).toEqual([
      `Name,City,Note,${NEEDS_INPUT_COLUMNS}`,
      "Globex,Wien,x,partners-1,4,5,task-4,context-4,Which Globex?,",
    ]);
    expect(await linesOf(run.folder.unprocessed)).toEqual([
      `Name,City,Note,${UNPROCESSED_COLUMNS}`,
      "Hooli,Oslo,z,partners-1,7,8,CANCELED",
    ]);
  });

  it("have cells with line breaks as they were, and the line where each record begins", async () => {
    const run = await makeRun('name,note\nACME,"two\nlines"\nGlobex,x\n');
    await run.journal(succeeded(1, { text: "a\nb" }), succeeded(2));
    await write(run);
    const text = await readFile(run.folder.results, "utf8");
    expect(text).toContain('ACME,"two\nlines",partners-1,1,2,');
    expect(text).toContain('"a\nb"');
    expect(text).toContain("\nGlobex,x,partners-1,2,4,");
  });

  it("leave out the columns that an earlier output brought along", async () => {
    const run = await makeRun(
      "name,onboard_run_id,city,onboard_reason\nACME,old-1,Berlin,TASK_FAILED\n",
    );
    await run.journal(succeeded(1));
    await write(run);
    const [header, row] = await linesOf(run.folder.results);
    expect(header).toBe(`name,city,${RESULT_COLUMNS}`);
    expect(row).toMatch(/^ACME,Berlin,partners-1,1,2,/);
  });

  it("answer duplicates of a failed row with its failure", async () => {
    const run = await makeRun("name\nACME\nACME\n");
    await run.journal(failed(1, { reason: "AGENT_UNAVAILABLE", stage: "submit", code: "-32603" }));
    expect(await write(run)).toMatchObject({ failures: 2, unprocessed: 0 });
    const rows = (await linesOf(run.folder.failures)).slice(1);
    expect(rows).toEqual([
      `ACME,partners-1,1,2,submit,AGENT_UNAVAILABLE,-32603,no data,true,task-1,1,${FINISHED},,`,
      `ACME,partners-1,2,3,submit,AGENT_UNAVAILABLE,-32603,no data,true,task-1,1,${FINISHED},1,`,
    ]);
  });

  it("take the last outcome of a row that was sent again", async () => {
    const run = await makeRun("name\nACME\n");
    await run.journal(failed(1), succeeded(1));
    expect(await write(run)).toEqual({ results: 1, failures: 0, needsInput: 0, unprocessed: 0 });
  });

  it("end with --limit", async () => {
    const run = await makeRun("name\na\nb\nc\n", { rowLimit: 2 });
    expect(await write(run)).toMatchObject({ unprocessed: 2 });
  });

  it("keep their order over many rows", async () => {
    const count = 2_000;
    const names = Array.from({ length: count }, (_, index) => `p${index + 1}`);
    const run = await makeRun(`name\n${names.join("\n")}\n`);
    const rows = names.map((_, index) => index + 1);
    await run.journal(
      ...rows.toReversed().map((row) => (row % 3 === 0 ? failed(row) : succeeded(row))),
    );
    expect(await write(run)).toMatchObject({ results: 1_334, failures: 666 });
    const results = (await linesOf(run.folder.results)).slice(1);
    expect(results.map((line) => line.split(",")[0])).toEqual(
      names.filter((_, index) => (index + 1) % 3 !== 0),
    );
  });
});

describe("which files there are", () => {
  it("results and failures always, the others only if any row is in them", async () => {
    const run = await makeRun("name\n");
    await write(run);
    expect((await readdir(run.folder.dir)).toSorted()).toEqual([
      "failures.csv",
      "input",
      "results.csv",
    ]);
    expect(await linesOf(run.folder.results)).toEqual([`name,${RESULT_COLUMNS}`]);
    expect(await linesOf(run.folder.failures)).toEqual([`name,${FAILURE_COLUMNS}`]);
  });

  it("none of an earlier report that has no rows any more", async () => {
    const run = await makeRun("name\nACME\nGlobex\n");
    await run.journal(needsInput(1, "Which?"));
    await write(run);
    expect(await readdir(run.folder.dir)).toContain("unprocessed.csv");
    await run.journal(succeeded(1), succeeded(2));
    await write(run);
    expect((await readdir(run.folder.dir)).toSorted()).toEqual([
      "failures.csv",
      "input",
      "journal.ndjson",
      "results.csv",
    ]);
  });
});

describe("what the agent said", () => {
  it.each([
    ["nothing", [], ""],
    ["one part as it is", [{ vat: "DE1" }], '"{""vat"":""DE1""}"'],
    ["one part that is nothing", [null], "null"],
    ["several parts as a list", [{ a: 1 }, 2], '"[{""a"":1},2]"'],
  ])("has data: %s", async (_what, data, cell) => {
    const run = await makeRun("name\nACME\n");
    await run.journal(succeeded(1, { data, text: "words" }));
    await write(run);
    expect(await tailOf(run.folder.results)).toMatch(`,words,${cell},[]`);
  });

  it("has files as name, media type and place, never their content", async () => {
    const run = await makeRun("name\nACME\n");
    const label = { name: "a.pdf", mediaType: "application/pdf" };
    await run.journal(
      succeeded(1, {
        files: [
          { kind: "url", ...label, url: "https://x.example/a.pdf" },
          { kind: "stored", ...label, path: "files/1-2-a.pdf" },
          { kind: "raw", ...label, base64: "QQ==" },
        ],
      }),
    );
    await write(run);
    const row = await tailOf(run.folder.results);
    const cell = row.slice(row.indexOf('"[') + 1, -1).replaceAll('""', '"');
    expect(JSON.parse(cell)).toEqual([
      { ...label, url: "https://x.example/a.pdf" },
      { ...label, path: "files/1-2-a.pdf" },
      label,
    ]);
  });

  it("is harmless for a spreadsheet, and the input's own cells stay as they were", async () => {
    const run = await makeRun('name,note\nACME,"=SUM(A1)"\nGlobex,-1\nInitech,@x\n');
    await run.journal(
      succeeded(1, { text: "=1+1", artifactName: "@a", taskId: "-t", contextId: "+c" }),
      failed(2, { message: "=cmd()", code: "-32603" }),
      needsInput(3, "=evil()"),
    );
    await write(run);
    expect(await tailOf(run.folder.results)).toBe(
      `ACME,=SUM(A1),partners-1,1,2,'-t,'+c,1,2,${SUBMITTED},${FINISHED},,artifact,'@a,'=1+1,,[]`,
    );
    expect(await tailOf(run.folder.failures)).toBe(
      `Globex,-1,partners-1,2,3,track,TASK_FAILED,-32603,'=cmd(),true,task-2,1,${FINISHED},,`,
    );
    expect(await tailOf(run.folder.needsInput)).toBe(
      "Initech,@x,partners-1,3,4,task-3,context-3,'=evil(),",
    );
  });
});

describe("a folder that does not take the files", () => {
  it("is exit 5 and leaves neither half files nor the old ones damaged", async () => {
    const run = await makeRun("name\nACME\nGlobex\n");
    await run.journal(succeeded(1));
    await writeFile(run.folder.results, "an earlier report\n");
    // A folder in the place of a file cannot be replaced by a rename.
    await mkdir(run.folder.failures);
    await writeFile(`${run.folder.failures}/keep`, "");
    await refusalOf(write(run), 5);
    const names = await readdir(run.folder.dir);
    expect(names.filter((name) => name.endsWith(".partial"))).toEqual([]);
    expect(names).toContain("results.csv");
  });

  it("is exit 5 when it is gone", async () => {
    const run = await makeRun("name\nACME\n");
    const gone = { ...run, folder: { ...run.folder, unprocessed: `${run.folder.dir}/gone/x.csv` } };
    const error = await refusalOf(write(gone), 5);
    expect(error.message).toContain("gone/x.csv");
  });
});
