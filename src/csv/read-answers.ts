import { readFile, stat } from "node:fs/promises";
import { type Info, parse } from "csv-parse/sync";
import { errorText } from "../core/errors.ts";
import { refuse } from "./refuse.ts";

/** A row of a needs-input file that a person has filled in. */
export interface GivenAnswer {
  /** Physical line on which the record begins. */
  readonly line: number;
  readonly runId: string;
  readonly taskId: string;
  readonly text: string;
}

const COLUMNS = ["onboard_run_id", "onboard_task_id", "onboard_answer"] as const;
const DELIMITERS = [",", ";", "\t"] as const;
const MAX_BYTES = 67_108_864;

/**
 * The answers of a needs-input.csv, also after it was saved by a spreadsheet; blank ones are left out.
 *
 * @throws OnboardError exit 2 when it cannot be read or is another file
 */
export async function readAnswers(path: string): Promise<readonly GivenAnswer[]> {
  const text = await readText(path);
  const delimiter = DELIMITERS.find((one) => columnsOf(text, one).includes("onboard_answer"));
  if (delimiter === undefined) {
    return refuse(path, "this is no needs-input.csv: there is no column onboard_answer.");
  }
  const header = columnsOf(text, delimiter);
  const places = COLUMNS.map((name) => header.indexOf(name));
  const missing = COLUMNS.filter((_, index) => places[index] === -1);
  if (missing.length > 0) refuse(path, `there is no column ${missing.join(", ")}.`);
  return parseRecords(path, text, delimiter)
    .slice(1)
    .map(({ record, info }) => {
      const [runId = "", taskId = "", answer = ""] = places.map((at) => (record[at] ?? "").trim());
      return { line: info.lines, runId, taskId, text: answer };
    })
    .filter((answer) => answer.text !== "");
}

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

const FORM = { bom: true, relax_column_count: true, skip_empty_lines: true } as const;

function parseRecords(path: string, text: string, delimiter: string): readonly ParsedRecord[] {
  try {
    const records: readonly unknown[] = parse(text, { ...FORM, delimiter, info: true });
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what csv-parse gives with `info`
    return records as readonly ParsedRecord[];
  } catch (error) {
    return refuse(path, `it cannot be read as CSV: ${errorText(error)}.`);
  }
}

function columnsOf(text: string, delimiter: string): readonly string[] {
  try {
    const [header = []]: string[][] = parse(text, { ...FORM, delimiter, to: 1 });
    return header.map((name) => name.trim());
  } catch {
    return [];
  }
}

/** UTF-8, or what a spreadsheet on Windows writes without being asked. */
async function readText(path: string): Promise<string> {
  const bytes = await readBytes(path);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}

async function readBytes(path: string): Promise<Uint8Array> {
  try {
    if ((await stat(path)).size <= MAX_BYTES) return await readFile(path);
  } catch (error) {
    return refuse(path, `it cannot be read: ${errorText(error)}.`);
  }
  return refuse(path, "it is larger than 64 MiB.");
}
