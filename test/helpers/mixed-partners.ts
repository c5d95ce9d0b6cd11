import type { SandboxOptions } from "../../src/sandbox/options.ts";
import type { OutputCsv } from "./run-outputs.ts";

/** One record of every kind, but the last; the sixth spans two lines. */
const INPUT = [
  "id,Name,Country,City,Comment",
  'A-1,Boehringer Ingelheim GmbH,DE,Bieberach,"first, with comma"',
  'A-2,Nestlé S.A.,CH,Vevey,"says ""hello"""',
  "A-3,Boehringer Ingelheim GmbH,DE,Bieberach,=SUM(A1:A2)",
  "A-4,,FR,Paris,without a name",
  "A-5,Fails AG,DE,Bonn,",
  'A-6,Asks AG,DE,Bonn,"two',
  'lines"',
  "A-7,Refused AG,DE,Bonn,  blanks around  ",
];

const OWN_COLUMNS = ["id", "Name", "Country", "City", "Comment"];
const COMMON = [...OWN_COLUMNS, "onboard_run_id", "onboard_row", "onboard_line"];

/** The documented columns of each output file, in their order. */
export const MIXED_HEADERS = {
  results: [
    ...COMMON,
    "onboard_task_id",
    "onboard_context_id",
    "onboard_attempts",
    "onboard_polls",
    "onboard_submitted_at",
    "onboard_finished_at",
    "onboard_duplicate_of",
    "onboard_source",
    "onboard_artifact_name",
    "onboard_text",
    "onboard_data",
    "onboard_files",
    "cdq_name",
    "cdq_street",
    "cdq_postal_code",
    "cdq_city",
    "cdq_country",
  ],
  failures: [
    ...COMMON,
    "onboard_stage",
    "onboard_reason",
    "onboard_code",
    "onboard_message",
    "onboard_retryable",
    "onboard_task_id",
    "onboard_attempts",
    "onboard_finished_at",
    "onboard_duplicate_of",
    "onboard_raw",
  ],
  needsInput: [
    ...COMMON,
    "onboard_task_id",
    "onboard_context_id",
    "onboard_question",
    "onboard_answer",
  ],
};

const FAULTS: NonNullable<SandboxOptions["faults"]> = [
  {
    match: { textIncludes: "Name: Fails AG" },
    effect: { kind: "end", state: "FAILED", text: "The registry is closed." },
  },
  { match: { textIncludes: "Name: Asks AG" }, effect: { kind: "end", state: "INPUT_REQUIRED" } },
  {
    match: { textIncludes: "Name: Refused AG", method: "SendMessage" },
    effect: { kind: "rpc-error", code: -32602, message: "Not a partner." },
  },
  {
    match: { textIncludes: "Name: Direct GmbH" },
    effect: { kind: "message", text: "Known without a task." },
  },
];

/** An agent that answers each of the records in its own way. */
export const MIXED_AGENT: SandboxOptions = { duration: { kind: "fixed", ms: 300 }, faults: FAULTS };

/**
 * Eight records, one of every kind; the third repeats the first, the sixth spans two lines.
 *
 * @param tag the last cell: makes the bytes of a file its own
 */
export function mixedCsv(tag: string): string {
  return `${INPUT.join("\n")}\nA-8,Direct GmbH,AT,Wien,${tag}\n`;
}

/** The cells of the input's own columns, by row. */
export function ownCells({ rows }: OutputCsv): string[][] {
  return rows.map((row) => OWN_COLUMNS.map((name) => row[name] ?? ""));
}

/** The rows without what differs from run to run: ids, times, polls. */
export function withoutChance({ rows }: OutputCsv): Record<string, string>[] {
  const chance = /_id$|_at$|_polls$/;
  return rows.map((row) =>
    Object.fromEntries(Object.entries(row).filter(([name]) => !chance.test(name))),
  );
}
