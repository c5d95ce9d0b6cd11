import { parseOwnJson } from "../core/own-json.ts";
import type { Progress } from "../core/progress.ts";
import { parseProgress } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RedisClient } from "./connect.ts";
import { RUNS_KEY, runKeys } from "./keys.ts";

/** A run that Redis has in its list. */
export interface ListedRun {
  readonly runId: string;
  /** Undefined when Redis keeps no more than the name. */
  readonly settings: RunSettings | undefined;
  readonly progress: Progress | undefined;
}

/** All runs by start time, oldest first; those whose keys have expired are taken off the list. */
export async function listKnownRuns(client: RedisClient): Promise<readonly ListedRun[]> {
  const ids = await client.zrange(RUNS_KEY, "0", "-1");
  const runs = await Promise.all(ids.map((runId) => readListedRun(client, runId)));
  const gone = runs.filter(
    ({ progress, settings }) => progress === undefined && settings === undefined,
  );
  if (gone.length > 0) await client.zrem(RUNS_KEY, ...gone.map(({ runId }) => runId));
  return runs.filter((run) => !gone.includes(run));
}

async function readListedRun(client: RedisClient, runId: string): Promise<ListedRun> {
  const keys = runKeys(runId);
  const [settings, progress] = await Promise.all([
    client.get(keys.settings),
    client.hgetall(keys.progress),
  ]);
  return {
    runId,
    settings: settings === null ? undefined : parseOwnJson<RunSettings>(settings),
    progress: parseProgress(progress),
  };
}
