import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { OnboardError } from "../../src/core/errors.ts";
import type { InputRow } from "../../src/core/input.ts";
import { createReadingNotes } from "../../src/core/reading-notes.ts";
import { openInput } from "../../src/csv/read-input.ts";
import { copyInput } from "../../src/runs/copy-input.ts";
import { inspectInput } from "../../src/runs/inspect-input.ts";
import { planOf } from "../../src/runs/open-run.ts";
import type { InputPlan, PlannedRow } from "../../src/runs/scan-input.ts";
import { planRows, scanInput } from "../../src/runs/scan-input.ts";
import type { HostileFile } from "./fuzz-files.ts";
import { testSettings } from "./run-for-tests.ts";

const NAME = "partners.csv";

/**
 * Reads a file as `check` and `run` do. It ends with rows, the same ones in every pass and for every size of what is
 * read at a time, or with an error of exit code 2 that names the file or the flag.
 */
export async function checkReading(file: HostileFile, dir: string): Promise<void> {
  const place = path.join(dir, NAME);
  await writeFile(place, file.bytes);
  const copy = await copyInput(place, dir);
  try {
    await readAll(file, copy.path);
  } catch (error) {
    expectNamed(error);
  } finally {
    await copy.discard();
  }
}

async function readAll(file: HostileFile, place: string): Promise<void> {
  const { reading, rowLimit, dedupe } = file;
  const limit = rowLimit === undefined ? {} : { rowLimit };
  const settings = testSettings({ file: NAME, reading, dedupe, ...limit });
  const plan = await planOf(settings, place);
  const scan = await scanInput(plan);
  const rows = await plannedRows(plan);
  expectOrder(rows, scan.total);
  expectNoNewReplacement(file, rows);
  assert.equal((await inspectInput(plan)).rows.total, scan.total);
  if (rowLimit === undefined) {
    const input = await openInput(place, reading, { name: NAME, chunkBytes: file.chunkBytes });
    const inOtherPieces = await inputRows(input.rows(undefined, createReadingNotes()));
    assert.deepEqual(
      inOtherPieces,
      rows.map(({ record }) => record),
    );
  }
}

async function plannedRows(plan: InputPlan): Promise<PlannedRow[]> {
  const rows: PlannedRow[] = [];
  for await (const batch of planRows(plan)) rows.push(...batch);
  return rows;
}

async function inputRows(batches: AsyncIterable<readonly InputRow[]>): Promise<InputRow[]> {
  const rows: InputRow[] = [];
  for await (const batch of batches) rows.push(...batch);
  return rows;
}

function expectOrder(rows: readonly PlannedRow[], total: number): void {
  assert.deepEqual(
    rows.map(({ record }) => record.row),
    Array.from({ length: total }, (_, index) => index + 1),
  );
  let before = 0;
  for (const { record } of rows) {
    assert.ok(record.line > before, `line ${record.line} behind line ${before}`);
    before = record.line;
  }
}

/** Nothing that was legible becomes a replacement character. */
function expectNoNewReplacement({ content }: HostileFile, rows: readonly PlannedRow[]): void {
  if (content === undefined) return;
  const bytes = Buffer.from(content);
  const marks = [
    [0xef, 0xbf, 0xbd],
    [0xfd, 0xff],
    [0xff, 0xfd],
  ];
  if (marks.some((mark) => bytes.includes(Buffer.from(mark)))) return;
  for (const { record } of rows) {
    assert.ok(!record.cells.some((cell) => cell.includes("\uFFFD")), "a U+FFFD was made");
  }
}

function expectNamed(error: unknown): void {
  if (!(error instanceof OnboardError)) throw error;
  assert.equal(error.exitCode, 2);
  assert.ok(
    error.message.includes(NAME) ||
      /--(?:encoding|delimiter|columns|header-row)/u.test(error.message),
    `names neither file nor flag: ${error.message}`,
  );
}
