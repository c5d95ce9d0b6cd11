import { mkdir, writeFile } from "node:fs/promises";
import { expect } from "vitest";
import { OnboardError } from "../../../src/core/errors.ts";
import type { ExitCode } from "../../../src/core/exit-code.ts";
import type { ReadOptions } from "../../../src/core/input.ts";
import type { JournalHeader } from "../../../src/core/journal.ts";
import type { Log, LogFields } from "../../../src/core/log.ts";
import { parseTemplate } from "../../../src/core/message-template.ts";
import type {
  FailedOutcome,
  OutcomePart,
  RowOutcome,
  SucceededOutcome,
} from "../../../src/core/outcome.ts";
import type { OutcomeContent } from "../../../src/core/outcome-content.ts";
import type { OutputForm } from "../../../src/core/output-form.ts";
import type { RunSettings } from "../../../src/core/run-settings.ts";
import { openInput } from "../../../src/csv/read-input.ts";
import { openJournal } from "../../../src/runs/journal-file.ts";
import { type RunFolder, runFolder } from "../../../src/runs/run-folder.ts";
import type { InputPlan } from "../../../src/runs/scan-input.ts";
import { tempFolder } from "../csv/temp-folder.ts";

const SUBMITTED_AT_MS = Date.UTC(2026, 10, 30, 20, 0, 0);
export const FINISHED_AT_MS = Date.UTC(2026, 10, 30, 20, 0, 4, 500);

export const SETTINGS: RunSettings = {
  schemaVersion: 1,
  runId: "partners-1",
  startedAtMs: SUBMITTED_AT_MS,
  file: "partners.csv",
  sha256: "a".repeat(64),
  identity: "b".repeat(64),
  agentUrl: "https://agent.example/",
  template: "Name: {name}[, City: {city}]",
  reading: { map: {} },
  dedupe: true,
  sendPerSecond: 5,
  pollPerSecond: 20,
  attempts: 6,
  requestTimeoutMs: 90_000,
  taskTimeoutMs: 900_000,
  giveUpAfterMs: 3_600_000,
  maxResponseBytes: 8_388_608,
  acceptedOutputModes: [],
  backlogBytes: 67_108_864,
  retentionMs: 1_209_600_000,
};

/** Where lines for people go that no test looks at. */
export function ignore(): void {
  // Nobody reads them.
}

/** As without any flag. */
export const FORM: OutputForm = { excel: false, jsonl: false, columns: [] };

export const HEADER: JournalHeader = { type: "run", settings: SETTINGS, host: "host-1" };

export interface PlanOptions {
  readonly reading?: Omit<ReadOptions, "map">;
  readonly dedupe?: boolean;
  readonly rowLimit?: number;
}

export interface RunFixture {
  /** The output folder, removed when the test ends. */
  readonly outDir: string;
  readonly folder: RunFolder;
  readonly plan: InputPlan;
  /** Appends outcomes to the run's journal. */
  readonly journal: (...outcomes: RowOutcome[]) => Promise<void>;
}

/** A run folder with its input copy and no journal yet. */
export async function makeRun(csv: string, options: PlanOptions = {}): Promise<RunFixture> {
  const outDir = await tempFolder();
  const folder = runFolder(outDir, SETTINGS.runId);
  await mkdir(folder.dir);
  await writeFile(folder.input, csv);
  return {
    outDir,
    folder,
    plan: await planFor(folder.input, options),
    async journal(...outcomes) {
      const journal = await openJournal(folder.journal, HEADER);
      await journal.append(outcomes.map((outcome) => JSON.stringify(outcome)));
      await journal.close();
    },
  };
}

/** How the run's settings read a file. */
export async function planFor(file: string, options: PlanOptions = {}): Promise<InputPlan> {
  const { reading = {}, dedupe = true, rowLimit } = options;
  const parsed = parseTemplate(SETTINGS.template);
  if (parsed.kind === "problem") throw new Error(parsed.message);
  const input = await openInput(file, { map: {}, ...reading });
  return { input, template: parsed.template, dedupe, rowLimit };
}

/** A success with its content in one artifact, or in the message when that is its source. */
export function succeeded(
  row: number,
  over: Partial<SucceededOutcome & OutcomeContent> = {},
): SucceededOutcome {
  const {
    artifactName = "profile",
    text = `partner ${row}`,
    data = [],
    files = [],
    ...rest
  } = over;
  const parts: readonly OutcomePart[] = [
    ...(text === "" ? [] : [{ kind: "text", text } as const]),
    ...data.map((value) => ({ kind: "data", data: value }) as const),
    ...files,
  ];
  const { source = "artifact" } = over;
  const inArtifact = source === "artifact";
  return {
    ...factsOf(row),
    kind: "succeeded",
    source,
    artifacts: inArtifact ? [{ name: artifactName, parts }] : [],
    message: inArtifact ? [] : parts,
    ...rest,
  };
}

export function failed(row: number, over: Partial<FailedOutcome> = {}): FailedOutcome {
  return {
    ...factsOf(row),
    kind: "failed",
    stage: "track",
    reason: "TASK_FAILED",
    code: "",
    message: "no data",
    ...over,
  };
}

export function needsInput(row: number, question: string): RowOutcome {
  return { ...factsOf(row), kind: "needs-input", question };
}

function factsOf(row: number) {
  return {
    row,
    taskId: `task-${row}`,
    contextId: `context-${row}`,
    attempts: 1,
    polls: 2,
    submittedAtMs: SUBMITTED_AT_MS,
    finishedAtMs: FINISHED_AT_MS,
  };
}

/** The refusal of a call, with the exit code that the command would have. */
export async function refusalOf(work: Promise<unknown>, exitCode: ExitCode): Promise<OnboardError> {
  const thrown: unknown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof OnboardError)) throw new Error("was not refused", { cause: thrown });
  expect(thrown.exitCode).toBe(exitCode);
  return thrown;
}

export interface RecordedLog {
  readonly log: Log;
  readonly events: { readonly event: string; readonly fields: LogFields | undefined }[];
}

/** A log that can be looked into. */
export function recordLog(): RecordedLog {
  const events: RecordedLog["events"] = [];
  const take = (event: string, fields?: LogFields): void => {
    events.push({ event, fields });
  };
  return { log: { debug: take, info: take, warn: take, error: take }, events };
}
