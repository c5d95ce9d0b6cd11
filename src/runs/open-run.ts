import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { RowReply } from "../core/journal.ts";
import { tryGroupOfRound } from "../core/journal.ts";
import { parseTemplate } from "../core/message-template.ts";
import { isSettled } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { InputFacts } from "../core/summary.ts";
import { openInput } from "../csv/read-input.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import type { RedisClient } from "../redis/connect.ts";
import type { KnownOutcome } from "../redis/ledger.ts";
import { Ledger } from "../redis/ledger.ts";
import type { RunLimits } from "../redis/run-record.ts";
import { RunRecord } from "../redis/run-record.ts";
import { whileBeating } from "./beat.ts";
import { toDisk } from "./disk.ts";
import type { Journal, ReopenedRow } from "./journal-file.ts";
import { openJournal, readOutcomes, readReopened } from "./journal-file.ts";
import { limitsOf, refuseOtherPlace } from "./prepare-run.ts";
import type { Reopening } from "./reopen-run.ts";
import { reopenRun } from "./reopen-run.ts";
import type { RunFolder } from "./run-folder.ts";
import { runFolder } from "./run-folder.ts";
import type { InputPlan, InputScan } from "./scan-input.ts";
import { countFailedWhenRead, inputFactsOf, scanInput, scanWarnings } from "./scan-input.ts";

export interface OpenRunDeps {
  readonly client: RedisClient;
  /** Absolute. */
  readonly outDir: string;
  /** Lines for people. */
  readonly warn: (text: string) => void;
  readonly stopSignal: AbortSignal;
  /** Puts the run's copy of the input there; called when there is none. */
  readonly placeInput: (file: string) => Promise<void>;
  /** For a run that is settled and shall go on. */
  readonly reopening?: Reopening;
}

/** A run that Redis knows and whose input was read once. */
export interface BegunRun {
  readonly settings: RunSettings;
  readonly folder: RunFolder;
  readonly plan: InputPlan;
  readonly scan: InputScan;
  readonly input: InputFacts;
  readonly record: RunRecord;
  readonly ledger: Ledger;
  /** Row -> the answer that is sent instead of its message. */
  readonly replies: ReadonlyMap<number, RowReply>;
  /** Whether rows are sent again that had an outcome. */
  readonly isReopened: boolean;
}

/** A run whose journal is open here. */
export interface OpenRun extends BegunRun {
  readonly journal: Journal;
}

/** A run that this process alone writes the files of. */
export interface HeldRun extends OpenRun {
  readonly queues: RunQueues;
  /** Aborted when another process has taken the run over. */
  readonly leaseLost: AbortSignal;
}

/**
 * Reads a run's input and makes the run known, or finds it as it is: its total is set before the
 * first call, and whatever a journal here holds is done.
 *
 * @throws OnboardError exit 2 for an input that cannot be read, exit 5 when the disk does not take it
 */
export async function beginRun(deps: OpenRunDeps, known: RunSettings): Promise<BegunRun> {
  const folder = runFolder(deps.outDir, known.runId);
  const isNew = !existsSync(folder.dir);
  try {
    if (!existsSync(folder.input)) {
      await toDisk(folder.input, () => deps.placeInput(folder.input));
    }
    const plan = await planOf(known, folder.input);
    for (const warning of plan.input.shape.warnings) deps.warn(`${known.file}: ${warning}`);
    const scan = await scanInput(plan, deps.stopSignal);
    for (const warning of scanWarnings(scan)) deps.warn(`${known.file}: ${warning}`);

    const record = new RunRecord(deps.client, known.runId);
    const settings = await record.open(known);
    const { file, sha256 } = settings;
    const { total, failedWhenRead } = scan;
    const input = inputFactsOf(plan, { file, sha256, rows: total }, scan);
    await record.setInputFacts(input);
    const pending = total - countFailedWhenRead(scan);
    const beginning = { total, pending, failedWhenRead, limits: limitsOfRun(settings) };
    if (deps.reopening === undefined) await record.begin(beginning);
    else await reopenRun({ settings, folder, record }, deps.reopening, beginning);
    const ledger = new Ledger(deps.client, known.runId, settings);
    const reopened = await readReopened(folder.journal);
    const replies = repliesOf(reopened);
    const isReopened = reopened.size > 0;
    const run = { settings, folder, plan, scan, input, record, ledger, replies, isReopened };
    if (existsSync(folder.journal)) await whileBeating(record, () => restoreFromJournal(run));
    return run;
  } catch (error) {
    // A run that never began leaves nothing behind.
    if (isNew) await rm(folder.dir, { recursive: true, force: true });
    throw error;
  }
}

/**
 * Opens the journal of a begun run.
 *
 * @throws OnboardError exit 2 when the run's outputs are elsewhere, exit 5 when the disk does not
 * take the journal
 */
export async function openRun(run: BegunRun): Promise<OpenRun> {
  const { record, folder, settings } = run;
  const place = { host: hostname(), dir: folder.dir };
  await refuseOtherPlace(record, { ...place, hasJournal: existsSync(folder.journal) });
  const header = { type: "run", settings, host: place.host } as const;
  const journal = await openJournal(folder.journal, header);
  try {
    // The journal is there before its place is recorded: a crash between leaves a run that can go on.
    await record.claimOutput(place);
    return { ...run, journal };
  } catch (error) {
    await journal.close();
    throw error;
  }
}

function limitsOfRun({ maxFailures, maxDurationMs, startedAtMs }: RunSettings): RunLimits {
  return limitsOf({ failures: maxFailures, durationMs: maxDurationMs }, startedAtMs);
}

/** How a run's settings read its input. @throws OnboardError exit 2 for a file that cannot be read */
export async function planOf(settings: RunSettings, file: string): Promise<InputPlan> {
  const parsed = parseTemplate(settings.template);
  if (parsed.kind === "problem") {
    throw new OnboardError(EXIT.usage, `message.template: ${parsed.message}`);
  }
  const input = await openInput(file, settings.reading, { name: settings.file });
  const { dedupe, rowLimit } = settings;
  return { input, template: parsed.template, dedupe, rowLimit };
}

const RESTORE_CHUNK = 500;

/**
 * The journal wins: what it holds is done, whatever Redis remembers. Repeating it changes nothing.
 *
 * @throws OnboardError exit 2 when the run's outputs are elsewhere
 */
export async function restoreFromJournal({
  record,
  ledger,
  folder,
  scan,
}: BegunRun): Promise<void> {
  const progress = await record.progress();
  // A run that Redis has forgotten must be opened first. Of a settled one it keeps the counters and no
  // row: nothing is to be counted again.
  if (progress === undefined || isSettled(progress.status)) return;
  // A journal that is not the run's own would mark rows as done whose answers are elsewhere.
  await refuseOtherPlace(record, { host: hostname(), dir: folder.dir, hasJournal: true });
  let chunk: KnownOutcome[] = [];
  const flush = async (): Promise<void> => {
    const states = await ledger.states(chunk.map(({ row }) => row));
    await ledger.restoreOutcomes(chunk.filter((_, index) => states[index]?.kind !== "done"));
    chunk = [];
  };
  for await (const { outcome } of readOutcomes(folder.journal)) {
    const { row } = outcome;
    chunk.push({ row, outcome, weight: scan.weights.get(row) ?? 1 });
    if (chunk.length === RESTORE_CHUNK) await flush();
  }
  await flush();
  await markReopened(folder, ledger);
}

function repliesOf(reopened: ReadonlyMap<number, ReopenedRow>): ReadonlyMap<number, RowReply> {
  const replies = new Map<number, RowReply>();
  for (const [row, { reply }] of reopened) {
    if (reply !== undefined) replies.set(row, reply);
  }
  return replies;
}

/** What is sent again is another message: the agent must not take it for the one that failed. */
async function markReopened({ journal }: RunFolder, ledger: Ledger): Promise<void> {
  const rows = Array.from(await readReopened(journal), ([row, { round, reply }]) => ({
    row,
    tryGroup: tryGroupOfRound(round, reply !== undefined),
  }));
  for (let from = 0; from < rows.length; from += RESTORE_CHUNK) {
    await ledger.reopenRows(rows.slice(from, from + RESTORE_CHUNK));
  }
}
