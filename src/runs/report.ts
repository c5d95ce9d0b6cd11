import { existsSync } from "node:fs";
import { mkdtemp, rename, rm } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { JournalHeader } from "../core/journal.ts";
import type { OutputForm } from "../core/output-form.ts";
import { isSettled } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RunSummaryFile } from "../core/summary.ts";
import type { RedisClient } from "../redis/connect.ts";
import { runPrefix } from "../redis/keys.ts";
import type { OutputPlace } from "../redis/run-record.ts";
import { RunRecord } from "../redis/run-record.ts";
import { toDisk } from "./disk.ts";
import type { FoundRun } from "./find-run.ts";
import { formFor, unprocessedReason, writeSummary } from "./finish-run.ts";
import { requireInput } from "./given-input.ts";
import { planOf } from "./open-run.ts";
import type { RunFacts } from "./run-facts.ts";
import { factsFromDisk, factsInRedis, factsOfSummary } from "./run-facts.ts";
import type { RunFolder } from "./run-folder.ts";
import { readRunOnDisk, runFolder, settledSummary } from "./run-folder.ts";
import type { InputPlan } from "./scan-input.ts";
import type { WrittenOutputs } from "./write-outputs.ts";
import { writeOutputs } from "./write-outputs.ts";

export interface ReportDeps {
  /** Absolute. */
  readonly outDir: string;
  readonly redis: RedisClient | undefined;
  /** Absolute; for a folder without the run's own copy. */
  readonly inputFile: string | undefined;
  readonly form: OutputForm;
  /** Lines for people. */
  readonly warn: (text: string) => void;
  readonly stopSignal: AbortSignal;
}

/** What a report has made. */
export interface RunReport {
  readonly summary: RunSummaryFile;
  readonly folder: RunFolder;
}

/**
 * Makes the output files of a run from its journal and its input, as it stands now. Nothing but files
 * is written, and those appear whole, so that a process which works on the run is not disturbed.
 *
 * @throws OnboardError exit 2 when journal or input are not here, exit 5 when the disk does not take
 * the files
 */
export async function reportRun(deps: ReportDeps, run: FoundRun): Promise<RunReport> {
  const { outDir, redis } = deps;
  const { runId } = run;
  const folder = runFolder(outDir, runId);
  const header = await requireJournal(deps, run, folder);
  await requireInput({ file: deps.inputFile, outDir }, header.settings, folder.input);
  const plan = await planOf(header.settings, folder.input);
  const { settings } = header;
  const target: Target = {
    outDir,
    settings,
    folder,
    plan,
    redis,
    form: deps.form,
    warn: deps.warn,
    stopSignal: deps.stopSignal,
  };
  for (;;) {
    const facts = await readFacts(target);
    const summary = await writeReport(target, facts);
    // A process that has ended the run meanwhile may have had its files replaced: made once more, ours are the same.
    if (summary === undefined || (await isOutdated(target, facts))) continue;
    if (redis !== undefined) await letExpire(redis, runId, header.settings.retentionMs);
    return { summary, folder };
  }
}

interface Target {
  readonly outDir: string;
  readonly settings: RunSettings;
  readonly folder: RunFolder;
  readonly plan: InputPlan;
  readonly redis: RedisClient | undefined;
  readonly form: OutputForm;
  /** Lines for people. */
  readonly warn: (text: string) => void;
  readonly stopSignal: AbortSignal;
}

/** The journal's own first line: settings that need no Redis. */
async function requireJournal(
  { redis }: ReportDeps,
  { runId, onDisk }: FoundRun,
  folder: RunFolder,
): Promise<JournalHeader> {
  const isDone = onDisk !== undefined && settledSummary(onDisk) !== undefined;
  // Where a settled run has been moved since is its owner's business.
  const place = isDone ? undefined : await readPlace(redis, runId);
  const header = onDisk?.header;
  if (place !== undefined && !isSamePlace(place, folder, header)) {
    const { host, dir } = place;
    throw new OnboardError(EXIT.usage, `run ${runId} writes to ${dir} on ${host}`, {
      hint: `run the command on ${host} with --out ${path.dirname(dir)}`,
    });
  }
  if (header !== undefined) return header;
  const isGone = onDisk !== undefined || place !== undefined;
  throw isGone ? journalIsGone(runId, folder) : journalIsNotYet(runId);
}

async function readPlace(
  redis: RedisClient | undefined,
  runId: string,
): Promise<OutputPlace | undefined> {
  return redis === undefined ? undefined : new RunRecord(redis, runId).outputPlace();
}

/** A folder that two hosts share is one place as long as the journal is seen in it. */
function isSamePlace(
  place: OutputPlace,
  folder: RunFolder,
  header: JournalHeader | undefined,
): boolean {
  return place.dir === folder.dir && (header !== undefined || place.host === hostname());
}

function journalIsGone(runId: string, { dir }: RunFolder): OnboardError {
  return new OnboardError(EXIT.usage, `the journal of run ${runId} is gone from ${dir}`, {
    hint: "bring it back from a backup: without it nobody knows what the agent answered",
  });
}

function journalIsNotYet(runId: string): OnboardError {
  return new OnboardError(EXIT.usage, `run ${runId} has no journal yet`, {
    hint: `onboard-batch status ${runId} shows how it stands`,
  });
}

/** A settled summary counts for ever; else Redis knows best, once it has counted the rows. */
async function readFacts({ outDir, settings, folder, redis }: Target): Promise<RunFacts> {
  const { runId } = settings;
  const onDisk = await readRunOnDisk(outDir, runId);
  const settled = settledSummary(onDisk);
  if (settled !== undefined) return factsOfSummary(settled);
  const facts = redis === undefined ? undefined : await factsInRedis(redis, runId);
  if (facts !== undefined && facts.progress.status !== "ingesting") return facts;
  return factsFromDisk(onDisk, folder);
}

/**
 * With this report the run is settled on this disk, and nobody will look again at what a process that
 * died while it ended the run has left of it in Redis.
 */
async function letExpire(redis: RedisClient, runId: string, retentionMs: number): Promise<void> {
  const record = new RunRecord(redis, runId);
  const progress = await record.progress();
  if (progress === undefined || !isSettled(progress.status)) return;
  if (!(await record.hasRowData())) return;
  // Loaded for this alone: it takes its time.
  const { createRunQueues } = await import("../queue/run-queues.ts");
  const queues = createRunQueues(redis, runPrefix(runId));
  await queues.obliterate();
  await queues.close();
  await record.expire(retentionMs);
}

/** Whether the run has settled since its facts were read. */
async function isOutdated(
  { redis, settings: { runId }, outDir }: Target,
  { progress: { status } }: RunFacts,
): Promise<boolean> {
  if (isSettled(status)) return false;
  if (settledSummary(await readRunOnDisk(outDir, runId)) !== undefined) return true;
  const now = redis === undefined ? undefined : await new RunRecord(redis, runId).progress();
  return now !== undefined && isSettled(now.status);
}

/**
 * Makes the files beside the run's folder first: the run's own process uses the names in it. Gives
 * undefined, and leaves the folder alone, when the run has settled over it.
 */
async function writeReport(target: Target, facts: RunFacts): Promise<RunSummaryFile | undefined> {
  const { outDir, settings, folder, plan, warn } = target;
  const { runId } = settings;
  const form = formFor(folder, target.form);
  const { status, startedAt: readAt } = facts.progress;
  let written: WrittenOutputs;
  const staging = await makeStaging(outDir);
  try {
    const { journal, input } = folder;
    const staged = { ...runFolder(outDir, path.basename(staging)), journal, input };
    const unprocessed = unprocessedReason({ status });
    written = await writeOutputs(
      { runId, folder: staged, plan, form, unprocessed, readAt },
      target.stopSignal,
    );
    if (await isOutdated(target, facts)) return undefined;
    await publish(staged, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  for (const warning of written.warnings) warn(warning);
  return writeSummary({ settings, folder, form, ...facts }, written);
}

const OUTPUT_FILES = ["results", "resultsJsonl", "failures", "needsInput", "unprocessed"] as const;

async function publish(from: RunFolder, to: RunFolder): Promise<void> {
  for (const name of OUTPUT_FILES) {
    await toDisk(to[name], async () => {
      if (existsSync(from[name])) await rename(from[name], to[name]);
      else await rm(to[name], { force: true });
    });
  }
}

async function makeStaging(outDir: string): Promise<string> {
  try {
    return await mkdtemp(path.join(outDir, ".report-"));
  } catch (error) {
    throw new OnboardError(EXIT.unavailable, `cannot write to ${outDir}: ${errorText(error)}`, {
      hint: "check the disk's free space and the folder's permissions",
      cause: error,
    });
  }
}
