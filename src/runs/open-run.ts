import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { hostname } from "node:os";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { parseTemplate } from "../core/message-template.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { InputFacts } from "../core/summary.ts";
import { openInput } from "../csv/read-input.ts";
import type { KnownOutcome } from "../redis/ledger.ts";
import { Ledger } from "../redis/ledger.ts";
import { RunRecord } from "../redis/run-record.ts";
import type { Journal } from "./journal-file.ts";
import { openJournal, readOutcomes } from "./journal-file.ts";
import { refuseOtherPlace } from "./prepare-run.ts";
import type { ChosenRun } from "./run-context.ts";
import type { RunFolder } from "./run-folder.ts";
import { runFolder } from "./run-folder.ts";
import type { InputPlan, InputScan } from "./scan-input.ts";
import { countFailedWhenRead, inputFactsOf, scanInput } from "./scan-input.ts";

/** A run whose input is read and whose place is claimed: ready to be worked on. */
export interface OpenRun {
  readonly settings: RunSettings;
  readonly folder: RunFolder;
  readonly plan: InputPlan;
  readonly scan: InputScan;
  readonly input: InputFacts;
  readonly record: RunRecord;
  readonly ledger: Ledger;
  readonly journal: Journal;
}

/**
 * Begins a run or goes on with it: reads its input once, makes it known, and marks as done whatever
 * the journal holds.
 *
 * @throws OnboardError exit 2 for an input that cannot be read or outputs that are elsewhere, exit 5
 * when the disk does not take the journal
 */
export async function openRun(deps: ChosenRun, known: RunSettings): Promise<OpenRun> {
  const { redis, copy, wish, outDir } = deps;
  const folder = runFolder(outDir, known.runId);
  if (!existsSync(folder.input)) await copy.moveTo(folder.input);
  try {
    const plan = await planOf(known, folder);
    for (const warning of plan.input.shape.warnings) deps.warn(`${wish.file}: ${warning}`);
    const scan = await scanInput(plan, deps.stopSignal);

    const record = new RunRecord(redis.client, known.runId);
    const settings = await record.open(known);
    const ledger = new Ledger(redis.client, known.runId, settings);
    const journal = await openOwnJournal(record, folder, settings);
    const { file, sha256 } = settings;
    const input = inputFactsOf(plan, { file, sha256, rows: scan.total });
    await record.setInputFacts(input);
    const pending = scan.total - countFailedWhenRead(scan);
    const { total, failedWhenRead } = scan;
    await record.begin({ total, pending, failedWhenRead });
    await restoreFromJournal(ledger, folder, scan);
    return { settings, folder, plan, scan, input, record, ledger, journal };
  } catch (error) {
    // A run that never began leaves nothing behind.
    if (!existsSync(folder.journal)) await rm(folder.dir, { recursive: true, force: true });
    throw error;
  }
}

/** The journal is there before its place is recorded: a crash between leaves a run that can go on. */
async function openOwnJournal(
  record: RunRecord,
  folder: RunFolder,
  settings: RunSettings,
): Promise<Journal> {
  const { dir } = folder;
  const place = { host: hostname(), dir };
  await refuseOtherPlace(record, { ...place, hasJournal: existsSync(folder.journal) });
  const journal = await openJournal(folder.journal, { type: "run", settings, host: place.host });
  await record.claimOutput(place);
  return journal;
}

/** How the stored settings read the run's copy of the input. */
export async function planOf(settings: RunSettings, folder: RunFolder): Promise<InputPlan> {
  const parsed = parseTemplate(settings.template);
  if (parsed.kind === "problem") {
    throw new OnboardError(EXIT.usage, `message.template: ${parsed.message}`);
  }
  const input = await openInput(folder.input, settings.reading);
  return {
    input,
    template: parsed.template,
    dedupe: settings.dedupe,
    rowLimit: settings.rowLimit,
  };
}

const RESTORE_CHUNK = 500;

/** The journal wins: what it holds is done, whatever Redis remembers. */
async function restoreFromJournal(
  ledger: Ledger,
  folder: RunFolder,
  scan: InputScan,
): Promise<void> {
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
}
