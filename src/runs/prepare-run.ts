import path from "node:path";
import type { Config } from "../config/schema.ts";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { FailureLimit } from "../core/failure-limit.ts";
import { isSettled } from "../core/progress.ts";
import { hashIdentity } from "../core/run-id.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RedisClient } from "../redis/connect.ts";
import { listKnownRuns } from "../redis/run-list.ts";
import type { OutputPlace, RunLimits, RunRecord } from "../redis/run-record.ts";
import type { KnownRun, RunWish } from "./choose-run.ts";
import { STDIN } from "./copy-input.ts";
import type { RunOnDisk } from "./run-folder.ts";

/** What a command asks for, from its file and its configuration. */
export function wishOf(config: Config, file: string, sha256: string): RunWish {
  const { runId, fresh } = config;
  return {
    file: file === STDIN ? "stdin" : path.basename(file),
    sha256,
    identity: identityOf(config, sha256),
    runId,
    fresh,
  };
}

function identityOf(config: Config, sha256: string): string {
  return hashIdentity({
    sha256,
    agentUrl: config.agent.url,
    template: config.message.template,
    reading: config.reading,
    dedupe: config.dedupe,
    rowLimit: config.limits.rows,
  });
}

/** The settings that a new run is begun with and keeps. */
export function settingsOf(
  config: Config,
  run: { readonly runId: string; readonly wish: RunWish; readonly startedAtMs: number },
): RunSettings {
  const { rates, limits, agent } = config;
  const { file, sha256, identity } = run.wish;
  return {
    schemaVersion: 1,
    runId: run.runId,
    startedAtMs: run.startedAtMs,
    file,
    sha256,
    identity,
    agentUrl: agent.url,
    template: config.message.template,
    reading: config.reading,
    dedupe: config.dedupe,
    ...(limits.rows === undefined ? {} : { rowLimit: limits.rows }),
    ...(limits.failures === undefined ? {} : { maxFailures: limits.failures }),
    ...(limits.durationMs === undefined ? {} : { maxDurationMs: limits.durationMs }),
    ...rates,
    ...(config.maxOpenTasks === undefined ? {} : { maxOpenTasks: config.maxOpenTasks }),
    attempts: config.attempts,
    requestTimeoutMs: config.requestTimeoutMs,
    taskTimeoutMs: config.taskTimeoutMs,
    giveUpAfterMs: agent.giveUpAfterMs,
    maxResponseBytes: agent.maxResponseBytes,
    acceptedOutputModes: agent.acceptedOutputModes,
    backlogBytes: config.results.backlogBytes,
    retentionMs: config.retention.redisMs,
  };
}

/** What ends a run's sending, counted from a moment on. */
export function limitsOf(
  {
    failures,
    durationMs,
  }: {
    readonly failures?: FailureLimit | undefined;
    readonly durationMs?: number | undefined;
  },
  fromMs: number,
): RunLimits {
  return {
    ...(failures === undefined ? {} : { maxFailures: failures }),
    ...(durationMs === undefined ? {} : { sendUntilMs: fromMs + durationMs }),
  };
}

/** The runs of an output folder, for choosing among them. */
export function knownFromDisk(runs: readonly RunOnDisk[]): readonly KnownRun[] {
  return runs.map(({ runId, header, summary }) => ({
    runId,
    sha256: header?.settings.sha256 ?? summary?.input.sha256 ?? "",
    identity: header?.settings.identity ?? "",
    status: summary?.status ?? "running",
  }));
}

/** The runs of Redis, with what the disk knows better: a settled summary counts even when Redis has forgotten. */
export async function knownEverywhere(
  client: RedisClient,
  onDisk: readonly KnownRun[],
): Promise<readonly KnownRun[]> {
  const known = new Map<string, KnownRun>();
  for (const { runId, settings, progress } of await listKnownRuns(client)) {
    if (settings === undefined) continue;
    const { sha256, identity } = settings;
    known.set(runId, { runId, sha256, identity, status: progress?.status ?? "running" });
  }
  for (const run of onDisk) {
    if (isSettled(run.status) || !known.has(run.runId)) known.set(run.runId, run);
  }
  return [...known.values()];
}

/**
 * Refuses to write a run's outputs where they are not.
 *
 * @param place where this command would write, and whether the run's journal lies there
 * @throws OnboardError exit 2 naming both places
 */
export async function refuseOtherPlace(
  record: RunRecord,
  place: OutputPlace & { readonly hasJournal: boolean },
): Promise<void> {
  const recorded = await record.outputPlace();
  if (recorded === undefined) return;
  const { host, dir, hasJournal } = place;
  if (recorded.host !== host || recorded.dir !== dir) {
    throw new OnboardError(
      EXIT.usage,
      `this run writes to ${recorded.dir} on ${recorded.host}, not to ${dir} on ${host}`,
      {
        hint: `run the command on ${recorded.host} with --out ${path.dirname(recorded.dir)}, or begin a new run with --fresh`,
      },
    );
  }
  if (hasJournal) return;
  throw new OnboardError(
    EXIT.usage,
    `the journal of this run is gone from ${dir}, and with it answers that were paid for`,
    { hint: "bring the folder back from a backup, or begin a new run with --fresh" },
  );
}
