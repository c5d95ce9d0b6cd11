import path from "node:path";
import type { Config } from "../config/schema.ts";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { isRunId } from "../core/run-id.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RedisClient, RedisHandle } from "../redis/connect.ts";
import { hasManagedData } from "../redis/managed-data.ts";
import type { ListedRun } from "../redis/run-list.ts";
import { listKnownRuns } from "../redis/run-list.ts";
import type { RunOnDisk } from "./run-folder.ts";
import { listRunsOnDisk, readRunOnDisk, settledSummary } from "./run-folder.ts";

/** How a run was named. */
export type RunName =
  | { readonly kind: "last" }
  /** Its id, or a beginning that no other id has. */
  | { readonly kind: "id"; readonly text: string };

/** A run with what is known about it: in Redis, in the output folder, or in both. */
export interface FoundRun {
  readonly runId: string;
  /** ms since the epoch; 0 when nobody knows any more. */
  readonly startedAtMs: number;
  /** Undefined when only a summary is left of the run. */
  readonly settings: RunSettings | undefined;
  readonly listed: ListedRun | undefined;
  readonly onDisk: RunOnDisk | undefined;
}

export interface FindDeps {
  /** Absolute. */
  readonly outDir: string;
  /** Which Redis was set. */
  readonly redisKind: Config["redis"]["kind"];
  /** This host's state folder. */
  readonly stateDir: string;
  readonly openRedis: () => Promise<RedisHandle>;
  /** Lines for people. */
  readonly warn: (text: string) => void;
}

/** Where runs were looked for. */
export interface RunCatalog {
  /** By start time, oldest first. */
  readonly runs: readonly FoundRun[];
  /** Undefined when it was not needed, cannot be reached, or has never been. */
  readonly redis: RedisClient | undefined;
}

/**
 * Every run of Redis and of the output folder. A Redis that is away is told of, and the folder alone
 * counts.
 *
 * @throws OnboardError exit 5 when Redis is away and the folder has no run either
 */
export async function findRuns(deps: FindDeps): Promise<RunCatalog> {
  const { outDir } = deps;
  const onDisk = await listRunsOnDisk(outDir);
  const look = await lookForRedis(deps);
  if (look.kind === "away") {
    if (onDisk.length === 0) throw look.error;
    deps.warn(`${look.error.message}: going on with what ${outDir} tells`);
  }
  const redis = look.kind === "open" ? look.client : undefined;
  const listed = redis === undefined ? [] : await listKnownRuns(redis);
  return { runs: join(listed, onDisk), redis };
}

/**
 * The run that was named. One that is settled on this disk needs no Redis.
 *
 * @throws OnboardError exit 2 when no run has that name, or several have
 */
export async function findRun(
  deps: FindDeps,
  name: RunName,
): Promise<{ readonly run: FoundRun; readonly redis: RedisClient | undefined }> {
  const settled = name.kind === "id" ? await findSettled(deps.outDir, name.text) : undefined;
  if (settled !== undefined) return { run: settled, redis: undefined };
  const { runs, redis } = await findRuns(deps);
  return { run: pickRun(runs, name), redis };
}

async function findSettled(outDir: string, runId: string): Promise<FoundRun | undefined> {
  if (!isRunId(runId)) return undefined;
  const onDisk = await readRunOnDisk(outDir, runId);
  return settledSummary(onDisk) === undefined ? undefined : join([], [onDisk])[0];
}

/**
 * Picks the run of a name.
 *
 * @param runs oldest first
 * @throws OnboardError exit 2 that lists what there is
 */
export function pickRun(runs: readonly FoundRun[], name: RunName): FoundRun {
  if (name.kind === "last") {
    const last = runs.at(-1);
    if (last === undefined) throw new OnboardError(EXIT.usage, "there is no run yet");
    return last;
  }
  const { text } = name;
  const alike = runs.filter(({ runId }) => runId.startsWith(text));
  const found =
    alike.find(({ runId }) => runId === text) ?? (alike.length === 1 ? alike[0] : undefined);
  if (found !== undefined) return found;
  if (alike.length > 0) {
    throw new OnboardError(EXIT.usage, `${alike.length} runs begin with ${text}`, {
      hint: `name one of them: ${listIds(alike)}`,
    });
  }
  throw new OnboardError(EXIT.usage, `there is no run ${text}`, {
    hint:
      runs.length === 0
        ? "there is no run at all, neither in Redis nor in the output folder: check --redis and --out"
        : `there are ${listIds(runs)}; another Redis or output folder is named with --redis and --out`,
  });
}

const LISTED_IDS = 10;

/** Newest first. */
function listIds(runs: readonly FoundRun[]): string {
  const ids = runs.map(({ runId }) => runId).toReversed();
  const more = ids.length - LISTED_IDS;
  return `${ids.slice(0, LISTED_IDS).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

type RedisLook =
  | { readonly kind: "open"; readonly client: RedisClient }
  | { readonly kind: "away"; readonly error: OnboardError }
  /** A managed one that was never started: starting it would show nothing. */
  | { readonly kind: "never-was" };

async function lookForRedis({ redisKind, stateDir, openRedis }: FindDeps): Promise<RedisLook> {
  if (redisKind === "managed" && !hasManagedData(path.join(stateDir, "redis"))) {
    return { kind: "never-was" };
  }
  try {
    return { kind: "open", client: (await openRedis()).client };
  } catch (error) {
    if (error instanceof OnboardError && error.exitCode === EXIT.unavailable) {
      return { kind: "away", error };
    }
    throw error;
  }
}

function join(listed: readonly ListedRun[], onDisk: readonly RunOnDisk[]): readonly FoundRun[] {
  const ids = new Set([...listed, ...onDisk].map(({ runId }) => runId));
  return [...ids]
    .map((runId) => {
      const inRedis = listed.find((run) => run.runId === runId);
      const there = onDisk.find((run) => run.runId === runId);
      const settings = there?.header?.settings ?? inRedis?.settings;
      const startedAtMs = startOf(settings, there ?? {}, inRedis ?? {});
      return { runId, startedAtMs, settings, listed: inRedis, onDisk: there };
    })
    .toSorted((a, b) => a.startedAtMs - b.startedAtMs || (a.runId < b.runId ? -1 : 1));
}

function startOf(
  settings: RunSettings | undefined,
  { summary }: Partial<RunOnDisk>,
  { progress }: Partial<ListedRun>,
): number {
  if (settings !== undefined) return settings.startedAtMs;
  return Date.parse(summary?.startedAt ?? progress?.startedAt ?? "") || 0;
}
