import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import type { OutcomePart, RowOutcome } from "../../src/core/outcome.ts";
import type { OutputForm } from "../../src/core/output-form.ts";
import { uniqueNames } from "../../src/core/unique-names.ts";
import { openJournal } from "../../src/runs/journal-file.ts";
import { planOf } from "../../src/runs/open-run.ts";
import { createFileStore } from "../../src/runs/outcome-files.ts";
import type { OutputName } from "../../src/runs/output-cells.ts";
import { AGENT_COLUMNS, COMMON_COLUMNS, OUR_COLUMNS } from "../../src/runs/output-cells.ts";
import type { RunFolder } from "../../src/runs/run-folder.ts";
import { runFolder } from "../../src/runs/run-folder.ts";
import type { InputPlan, PlannedRow } from "../../src/runs/scan-input.ts";
import { planRows, scanInput } from "../../src/runs/scan-input.ts";
import { writeOutputs } from "../../src/runs/write-outputs.ts";
import { tableCsv, wildCell, wildTable } from "./fuzz-cells.ts";
import { testSettings } from "./run-for-tests.ts";

/** What an agent may make of a row; of a row without one the run knows nothing. */
type Ending =
  | {
      readonly kind: "succeeded";
      readonly inArtifact: boolean;
      readonly parts: readonly OutcomePart[];
    }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "needs-input"; readonly question: string }
  | { readonly kind: "none" };

/** A run that has been worked on, and how its outputs are to be written. */
export interface WildRun {
  readonly csv: string;
  /** Row by row, again and again. */
  readonly endings: readonly Ending[];
  readonly dedupe: boolean;
  readonly rowLimit: number | undefined;
  readonly form: OutputForm;
}

const formula = fc
  .tuple(fc.constantFrom("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠", "\n"), wildCell)
  .map(([sign, rest]) => sign + rest);
const words = fc.oneof(wildCell, formula);

const part: fc.Arbitrary<OutcomePart> = fc.oneof(
  words.map((text): OutcomePart => ({ kind: "text", text })),
  fc.oneof(fc.jsonValue(), words).map((data): OutcomePart => ({ kind: "data", data })),
  fc
    .tuple(words, words)
    .map(([name, url]): OutcomePart => ({ kind: "url", name, mediaType: "text/html", url })),
  fc
    .tuple(words, fc.base64String({ maxLength: 40 }))
    .map(([name, base64]): OutcomePart => ({ kind: "raw", name, mediaType: "text/plain", base64 })),
);

const ending: fc.Arbitrary<Ending> = fc.oneof(
  fc.record({
    kind: fc.constant("succeeded" as const),
    inArtifact: fc.boolean(),
    parts: fc.array(part, { maxLength: 3 }),
  }),
  words.map((message): Ending => ({ kind: "failed", message })),
  words.map((question): Ending => ({ kind: "needs-input", question })),
  fc.constant<Ending>({ kind: "none" }),
);

const COLUMNS: OutputForm["columns"] = [
  { name: "name", source: { kind: "pointer", tokens: [] } },
  { name: "City", source: { kind: "pointer", tokens: ["0"] } },
];

export const wildRun: fc.Arbitrary<WildRun> = fc.record({
  csv: wildTable.map(tableCsv),
  endings: fc.array(ending, { minLength: 1, maxLength: 8 }),
  dedupe: fc.boolean(),
  rowLimit: fc.oneof(
    { weight: 5, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 5 }) },
  ),
  form: fc.record({
    excel: fc.boolean(),
    jsonl: fc.boolean(),
    columns: fc.constantFrom([], COLUMNS),
  }),
});

/** Agent's words everywhere that an agent can put them. */
function outcomeOf(row: number, end: Exclude<Ending, { kind: "none" }>): RowOutcome {
  const facts = {
    row,
    taskId: `=task-${row}`,
    contextId: `-context-${row}`,
    attempts: 1,
    polls: 2,
    submittedAtMs: 1_000,
    finishedAtMs: 2_000,
  };
  switch (end.kind) {
    case "succeeded": {
      const { inArtifact, parts } = end;
      return {
        ...facts,
        kind: "succeeded",
        source: inArtifact ? "artifact" : "message",
        artifacts: inArtifact ? [{ name: "@profile", parts }] : [],
        message: inArtifact ? [] : parts,
      };
    }
    case "failed":
      return {
        ...facts,
        kind: "failed",
        stage: "track",
        reason: "TASK_FAILED",
        code: "-32000",
        message: end.message,
      };
    case "needs-input":
      return { ...facts, kind: "needs-input", question: end.question };
  }
}

const FILES = ["results", "failures", "needsInput", "unprocessed"] as const;

/**
 * Writes the outputs of a run as the product does and reads them with a reader that knows nothing of it: each row of
 * the input is in exactly the file where it belongs, in order and with its own cells, and no word of the agent's is a
 * formula.
 */
export async function checkConservation(run: WildRun, dir: string): Promise<void> {
  const folder = runFolder(dir, "fuzz");
  await rm(folder.dir, { recursive: true, force: true });
  await mkdir(folder.dir, { recursive: true });
  await writeFile(folder.input, run.csv);
  const plan = await planFor(run, folder);
  // A file may be asked about; what is read at all is read wholly.
  if (plan === undefined) return;
  const rows: PlannedRow[] = [];
  for await (const batch of planRows(plan)) rows.push(...batch);
  assert.equal((await scanInput(plan)).total, rows.length);
  const expected = await journalEndings(run, rows, folder);
  await writeOutputs({
    runId: "fuzz",
    folder,
    plan,
    form: run.form,
    unprocessed: "STOPPED",
    readAt: "2026-11-30T20:00:00.000Z",
  });
  const found = new Map<OutputName, readonly Readonly<Record<string, string>>[]>();
  for (const name of FILES) {
    found.set(name, await readOutput({ run, plan, folder }, name));
    const wanted = rows.filter(({ record }) => expected.get(record.row) === name);
    expectRows({ name, plan, rows: wanted, found: found.get(name) ?? [] });
  }
  const sum = FILES.reduce((total, name) => total + (found.get(name)?.length ?? 0), 0);
  assert.equal(sum, rows.length);
  await expectJsonl(run.form.jsonl, folder, found.get("results") ?? []);
}

async function planFor({ rowLimit, dedupe }: WildRun, folder: RunFolder) {
  const limit = rowLimit === undefined ? {} : { rowLimit };
  const settings = testSettings({ template: "{name}[, {city}]", dedupe, ...limit });
  try {
    return await planOf(settings, folder.input);
  } catch (error) {
    assert.match(String(error), /^OnboardError/);
    return undefined;
  }
}

/** Journals what the agent made of the rows. @returns where each row belongs */
async function journalEndings(
  { endings }: WildRun,
  rows: readonly PlannedRow[],
  folder: RunFolder,
): Promise<ReadonlyMap<number, OutputName>> {
  const settings = testSettings();
  const journal = await openJournal(folder.journal, { type: "run", settings, host: "host" });
  const store = createFileStore(folder.dir);
  const places = new Map<number, OutputName>();
  const lines: string[] = [];
  for (const planned of rows) {
    const { row } = planned.record;
    if (planned.kind === "bad") {
      places.set(row, "failures");
      continue;
    }
    const end = endings[planned.firstRow % endings.length] ?? { kind: "none" };
    places.set(row, placeOf(end));
    if (end.kind === "none" || planned.firstRow !== row) continue;
    lines.push(JSON.stringify(await store.store(outcomeOf(row, end))));
  }
  await journal.append(lines);
  await journal.close();
  return places;
}

function placeOf({ kind }: Ending): OutputName {
  const places = {
    succeeded: "results",
    failed: "failures",
    "needs-input": "needsInput",
    none: "unprocessed",
  } as const;
  return places[kind];
}

interface Written {
  readonly run: WildRun;
  readonly plan: InputPlan;
  readonly folder: RunFolder;
}

/** The rows of an output file by unique column names. */
async function readOutput({ run, plan, folder }: Written, name: OutputName) {
  if (!existsSync(folder[name])) {
    assert.ok(name === "needsInput" || name === "unprocessed");
    return [];
  }
  const { excel, columns } = run.form;
  const text = await readFile(folder[name], "utf8");
  assert.equal(text.startsWith("\uFEFF"), excel);
  const [header = [], ...records]: string[][] = parse(text, {
    bom: excel,
    delimiter: excel ? ";" : ",",
    record_delimiter: excel ? "\r\n" : "\n",
  });
  const own = plan.input.shape.header;
  const configured = name === "results" ? columns.map((column) => column.name) : [];
  const ours = [...COMMON_COLUMNS, ...OUR_COLUMNS[name], ...uniqueNames(configured, own)];
  assert.deepEqual(header, [...own, ...ours]);
  const columnNames = [...own.map((_, column) => `own ${column}`), ...ours];
  return records.map((cells) =>
    Object.fromEntries(columnNames.map((column, at) => [column, cells[at] ?? ""])),
  );
}

interface OutputCheck {
  readonly name: OutputName;
  readonly plan: InputPlan;
  readonly rows: readonly PlannedRow[];
  readonly found: readonly Readonly<Record<string, string>>[];
}

function expectRows({ name, plan, rows, found }: OutputCheck): void {
  const own = (row: Readonly<Record<string, string>>): (string | undefined)[] =>
    plan.input.shape.header.map((_, column) => row[`own ${column}`]);
  assert.deepEqual(
    found.map((row) => [row["onboard_row"], row["onboard_line"], own(row)]),
    rows.map(({ record }) => [String(record.row), String(record.line), record.cells]),
  );
  for (const row of found) {
    for (const [column, cell] of Object.entries(row)) {
      const isAgents =
        AGENT_COLUMNS.has(column) || (name === "results" && /^(?:name|city)_\d$/iu.test(column));
      if (isAgents) assert.doesNotMatch(cell, /^[=+\-@\t\r＝＋－＠]/u);
    }
  }
}

async function expectJsonl(
  isWanted: boolean,
  folder: RunFolder,
  results: readonly Readonly<Record<string, string>>[],
): Promise<void> {
  assert.equal(existsSync(folder.resultsJsonl), isWanted);
  if (!isWanted) return;
  const lines = (await readFile(folder.resultsJsonl, "utf8")).split("\n");
  assert.equal(lines.pop(), "");
  assert.deepEqual(
    lines.map((line) => {
      const { row, input } = JSON.parse(line) as { row: number; input: Record<string, string> };
      return [String(row), new Set(Object.values(input))];
    }),
    results.map((row) => {
      const own = Object.keys(row).filter((column) => column.startsWith("own "));
      return [row["onboard_row"], new Set(own.map((column) => row[column]))];
    }),
  );
}
