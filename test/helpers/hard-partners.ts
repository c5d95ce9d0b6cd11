import { readFile } from "node:fs/promises";
import path from "node:path";
import { parse } from "csv-parse/sync";
import type { TestContext } from "vitest";
import { expect } from "vitest";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";
import type { StubAgent, StubCall } from "./stub-agent.ts";
import { completed, taskAnswer, taskSaying } from "./stub-agent.ts";
import { FAST_RATES, stubFor } from "./stub-run.ts";

/** Names twice, with a delimiter, a quote and a line break in them. */
const HARD_HEADER = [
  "id",
  "name",
  "street",
  "PLZ",
  "city",
  "country",
  "registration number",
  "Telefon",
  "Notiz",
  "Notiz",
  "a;b,c",
  'say "x"',
  "zwei\nZeilen",
  "Datum",
  "last",
] as const;

/** Cells that a program on the way could take for something else. */
const HARD_ROWS = [
  [
    "00123",
    'ACME; "Nord", GmbH',
    "Hafen 1;2",
    "01067",
    "Dresden",
    "DE",
    "1234567890123456789",
    "+49 30 123",
    "=1+1",
    "-5",
    "",
    "'x",
    "a\nb",
    "2024-01-02",
    "",
  ],
  [
    "007",
    "Müller\r\n& Söhne",
    "Straße 5",
    "8001",
    "Zürich",
    "CH",
    "0001",
    "(0)30-5",
    "@sum",
    "+1",
    "1,5",
    "1.5",
    "TRUE",
    "1/2",
    "NULL",
  ],
  [
    "1e5",
    "会社 株式 😀",
    "Ō-ji 1-2",
    "100-0001",
    "東京",
    "JP",
    "0012",
    " 00 ",
    "\ttab",
    "trailing  ",
    "",
    "",
    '"',
    "Mar 1",
    "ende",
  ],
  [
    "",
    "Trailing GmbH  ",
    "",
    "",
    "Łódź",
    "PL",
    "",
    "",
    '"quoted"',
    "50%",
    "€ 5",
    "\u00A0nbsp\u00A0",
    "",
    "31.12.2024",
    "#N/A",
  ],
] as const;

/** The table as a file: every cell quoted, LF. */
const HARD_CSV = [HARD_HEADER, ...HARD_ROWS]
  .map((row) => `${row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")}\n`)
  .join("");

/** An output file that holds all hard rows. */
interface FedBack {
  /** `failures.csv`, `needs-input.csv` or `unprocessed.csv`. */
  readonly name: string;
  readonly path: string;
}

/** What a file comes to when it is read and run. */
export interface Reading {
  /** Of `check --json`, without what depends on the file's own form. */
  readonly check: unknown;
  /** What the agent was sent, sorted. */
  readonly messages: readonly string[];
  /** Header and cells of results.csv up to the columns of the program. */
  readonly own: readonly (readonly string[])[];
}

/** Commands on the hard rows, and an agent that answers as it is told. */
export interface HardStage {
  readonly stage: Stage;
  /** Runs the table so that its rows end in each of the files that a person may feed back. */
  feedBackFiles(...words: string[]): Promise<readonly FedBack[]>;
  /** Runs the table so that all its rows succeed. @returns the path of results.csv */
  results(...words: string[]): Promise<string>;
  /** The table itself, as it is read and run. */
  original(): Promise<Reading>;
  /** Checks a file and runs it so that all its rows succeed. */
  read(file: string): Promise<Reading>;
}

/** The agent fails, asks or does the work. */
type Mood = "well" | "fails" | "asks";

/** Opens a stage that ends with the test. */
export async function openHardStage(
  context: Pick<TestContext, "onTestFinished">,
): Promise<HardStage> {
  const stage = await openStage(context);
  let mood: Mood = "well";
  let runs = 0;
  const stub = await stubFor(context, stage, {
    otherwise: {
      GetTask: (call) => answerIn(mood, call),
    },
  });
  const file = await stage.write("partners.csv", HARD_CSV);

  /** @returns the folder of the run */
  async function begin(words: readonly string[], exitCode: number): Promise<string> {
    const end = await stage.run(...words);
    expect(end.exitCode, end.stderr).toBe(exitCode);
    return path.join(stage.outDir, runId());
  }

  function runId(): string {
    return `${stage.runId}-${runs}`;
  }

  function nextRun(as: Mood): void {
    mood = as;
    runs += 1;
    stage.setEnv({ ONBOARD_BATCH_RUN_ID: runId() });
  }

  async function read(given: string): Promise<Reading> {
    const before = stub.calls(undefined, "SendMessage").length;
    const check = await stage.run("check", given, "--json");
    expect(check.exitCode, check.stderr).toBe(0);
    nextRun("well");
    const dir = await begin(["run", given, ...FAST_RATES], 0);
    return {
      check: comparable(check.stdout),
      messages: messagesSince(stub, before),
      own: await ownCells(path.join(dir, "results.csv")),
    };
  }

  return {
    stage,
    read,
    original: () => read(file),
    async results(...words) {
      nextRun("well");
      return path.join(await begin(["run", file, ...FAST_RATES, ...words], 0), "results.csv");
    },
    async feedBackFiles(...words) {
      nextRun("fails");
      const failed = await begin(["run", file, ...FAST_RATES, ...words], 3);
      nextRun("asks");
      const asked = await begin(["run", file, ...FAST_RATES, ...words], 3);
      nextRun("well");
      await begin(["ingest", file], 0);
      await begin(["cancel", runId(), "--yes"], 0);
      const waiting = await begin(["collect", runId(), ...words], 7);
      return [
        { name: "failures.csv", path: path.join(failed, "failures.csv") },
        { name: "needs-input.csv", path: path.join(asked, "needs-input.csv") },
        { name: "unprocessed.csv", path: path.join(waiting, "unprocessed.csv") },
      ];
    },
  };
}

function answerIn(mood: Mood, call: StubCall) {
  switch (mood) {
    case "well":
      return completed(call);
    case "fails":
      return taskSaying(call, "TASK_STATE_FAILED", '=nothing; "found",\nhere');
    case "asks":
      return taskAnswer(call, "TASK_STATE_INPUT_REQUIRED");
  }
}

/** Places and delimiters are those of the file; all else must be the same. */
function comparable(stdout: string): unknown {
  const { rows, mapping, ignoredColumns, firstMessage } = JSON.parse(stdout) as Record<
    string,
    unknown
  >;
  return { rows, mapping, ignoredColumns, firstMessage };
}

function messagesSince(stub: StubAgent, count: number): string[] {
  const calls = stub.calls(undefined, "SendMessage").slice(count);
  return calls
    .map(({ params }) => {
      const { parts } = params["message"] as { parts: readonly { text: string }[] };
      return parts.map(({ text }) => text).join("\n");
    })
    .toSorted((one, two) => (one < two ? -1 : 1));
}

/** The columns of a plain output file before those of the program. */
async function ownCells(file: string): Promise<string[][]> {
  const records: string[][] = parse(await readFile(file, "utf8"));
  const width = records[0]?.findIndex((name) => name.startsWith("onboard_")) ?? 0;
  return records.map((cells) => cells.slice(0, width));
}

/** The table itself. */
export const HARD_TABLE: readonly (readonly string[])[] = [HARD_HEADER, ...HARD_ROWS];
