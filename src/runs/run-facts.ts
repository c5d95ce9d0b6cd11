import type { Progress } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { InputFacts, RunSummaryFile } from "../core/summary.ts";
import type { RedisClient } from "../redis/connect.ts";
import { RunRecord } from "../redis/run-record.ts";
import { planOf } from "./open-run.ts";
import type { RunFolder, RunOnDisk } from "./run-folder.ts";
import { inputFactsOf } from "./scan-input.ts";
import { tallyRows } from "./tally-rows.ts";

/** How a run stands: what its summary is made of, but for the list of files. */
export interface RunFacts {
  readonly progress: Progress;
  readonly input: InputFacts;
  readonly failuresByReason: Readonly<Record<string, number>>;
}

/** What a summary says, as facts. */
export function factsOfSummary(summary: RunSummaryFile): RunFacts {
  const { status, statusReason, rows, calls, startedAt, updatedAt, finishedAt } = summary;
  return {
    progress: {
      schemaVersion: 1,
      status,
      statusReason,
      file: summary.input.file,
      ...rows,
      reused: summary.reused,
      sendMessageCalls: calls.sendMessage,
      getTaskCalls: calls.getTask,
      cancelTaskCalls: calls.cancelTask,
      retries: calls.retries,
      rateLimited: calls.rateLimited,
      startedAt,
      updatedAt,
      finishedAt,
      heartbeatAt: "",
    },
    input: summary.input,
    failuresByReason: summary.failuresByReason,
  };
}

/** What Redis knows; undefined when it does not know the run. */
export async function factsInRedis(
  client: RedisClient,
  runId: string,
): Promise<RunFacts | undefined> {
  const record = new RunRecord(client, runId);
  const [progress, failuresByReason, input] = await Promise.all([
    record.progress(),
    record.failures(),
    record.inputFacts(),
  ]);
  if (progress === undefined) return undefined;
  return { progress, failuresByReason, input: input ?? unreadInput(progress.file, "") };
}

/**
 * What the input copy and the journal tell, counted: for a run that Redis has forgotten, or while
 * Redis is away.
 *
 * @throws OnboardError exit 2 when the input copy cannot be read
 */
export async function factsFromDisk(
  { header, summary }: RunOnDisk,
  folder: RunFolder,
): Promise<RunFacts> {
  if (header === undefined) throw new Error(`${folder.journal} is not there`);
  const { settings } = header;
  const { file, sha256 } = settings;
  const plan = await planOf(settings, folder.input);
  const tally = await tallyRows(plan, folder.journal);
  const { succeeded, failed, needsInput, rest, failuresByReason } = tally;
  const { reused, sendMessageCalls, getTaskCalls, retries, lastOutcomeAtMs } = tally;
  const total = succeeded + failed + needsInput + rest;
  return {
    progress: {
      ...NOTHING_YET,
      status: summary?.status ?? "running",
      statusReason: summary?.statusReason ?? "",
      file,
      total,
      pending: rest,
      succeeded,
      failed,
      needsInput,
      reused,
      sendMessageCalls,
      getTaskCalls,
      retries,
      startedAt: iso(settings.startedAtMs),
      updatedAt: iso(Math.max(lastOutcomeAtMs, settings.startedAtMs)),
    },
    input: inputFactsOf(plan, { file, sha256, rows: total }, tally),
    failuresByReason,
  };
}

/** What is left to say of a run when neither summary, Redis nor disk tell of its rows. */
export function factsOfSettings(settings: RunSettings | undefined): RunFacts {
  const { file, sha256, startedAtMs } = settings ?? { file: "", sha256: "", startedAtMs: 0 };
  const startedAt = startedAtMs === 0 ? "" : iso(startedAtMs);
  return {
    progress: { ...NOTHING_YET, file, startedAt, updatedAt: startedAt },
    input: unreadInput(file, sha256),
    failuresByReason: {},
  };
}

const NOTHING_YET: Progress = {
  schemaVersion: 1,
  status: "ingesting",
  statusReason: "",
  file: "",
  total: 0,
  pending: 0,
  open: 0,
  succeeded: 0,
  failed: 0,
  needsInput: 0,
  unprocessed: 0,
  reused: 0,
  sendMessageCalls: 0,
  getTaskCalls: 0,
  cancelTaskCalls: 0,
  retries: 0,
  rateLimited: 0,
  startedAt: "",
  updatedAt: "",
  finishedAt: "",
  heartbeatAt: "",
};

function unreadInput(file: string, sha256: string): InputFacts {
  return { file, sha256, rows: 0, encoding: "", delimiter: "", skipped: [], warnings: [] };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}
