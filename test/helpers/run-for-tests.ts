import { randomUUID } from "node:crypto";
import { inject, onTestFinished } from "vitest";
import type { Log } from "../../src/core/log.ts";
import type { RowOutcome } from "../../src/core/outcome.ts";
import type { Progress } from "../../src/core/progress.ts";
import type { RunSettings } from "../../src/core/run-settings.ts";
import type { RedisClient, RedisHandle } from "../../src/redis/connect.ts";
import { connectRedis } from "../../src/redis/connect.ts";
import type { RunKeys } from "../../src/redis/keys.ts";
import { RUNS_KEY, runKeys, runPrefix } from "../../src/redis/keys.ts";
import type { TaskEntry } from "../../src/redis/ledger.ts";
import { Ledger } from "../../src/redis/ledger.ts";
import { RunRecord } from "../../src/redis/run-record.ts";

const ignore = (): void => undefined;

/** Where events go that no test looks at. */
export const SILENT: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };

/** A connection as the program opens it; closed at the end of the test. */
export async function openTestRedis(url = inject("redisUrl")): Promise<RedisHandle> {
  const handle = await connectRedis({
    topology: { kind: "single", url },
    force: false,
    log: SILENT,
  });
  onTestFinished(() => handle.close());
  return handle;
}

/** A run id that no other test has. */
export function uniqueRunId(): string {
  return `test-${randomUUID().slice(0, 13)}`;
}

/** Settings with bounds that no test meets by accident. */
export function testSettings(changes: Partial<RunSettings> = {}): RunSettings {
  return {
    schemaVersion: 1,
    runId: uniqueRunId(),
    startedAtMs: Date.now(),
    file: "partners.csv",
    sha256: "0".repeat(64),
    identity: "1".repeat(64),
    agentUrl: "http://127.0.0.1/",
    template: "{name}",
    reading: { map: {} },
    dedupe: true,
    sendPerSecond: 1_000,
    pollPerSecond: 1_000,
    attempts: 3,
    requestTimeoutMs: 5_000,
    taskTimeoutMs: 900_000,
    giveUpAfterMs: 900_000,
    maxResponseBytes: 8_388_608,
    acceptedOutputModes: [],
    backlogBytes: 67_108_864,
    retentionMs: 60_000,
    ...changes,
  };
}

/** A run in Redis, without files, queues or an agent. */
export interface TestRun {
  readonly settings: RunSettings;
  readonly keys: RunKeys;
  readonly client: RedisClient;
  readonly record: RunRecord;
  readonly ledger: Ledger;
  /** The counters; fails when there are none. */
  progress(): Promise<Progress>;
  /** Sets the lock that a worker would hold on the row's job. */
  lock(row: number, token?: string): Promise<{ readonly lockKey: string; readonly token: string }>;
  /** The outcomes that no journal has yet, oldest first. */
  outcomes(): Promise<RowOutcome[]>;
}

/** A run that was opened and, unless `total` is left out, begun; its keys go with the test. */
export async function createTestRun(
  client: RedisClient,
  options: { readonly total?: number; readonly settings?: Partial<RunSettings> } = {},
): Promise<TestRun> {
  const settings = testSettings(options.settings);
  const { runId } = settings;
  const keys = runKeys(runId);
  const record = new RunRecord(client, runId);
  onTestFinished(() => removeRun(client, runId));
  await record.open(settings);
  const { total } = options;
  if (total !== undefined) {
    await record.begin({ total, pending: total, failedWhenRead: new Map() });
  }
  return {
    settings,
    keys,
    client,
    record,
    ledger: new Ledger(client, runId, settings),
    async progress() {
      const progress = await record.progress();
      if (progress === undefined) throw new Error("the run has no progress");
      return progress;
    },
    async lock(row, token = randomUUID()) {
      const lockKey = `${runPrefix(runId)}:submit:r-${row}:lock`;
      await client.set(lockKey, token);
      return { lockKey, token };
    },
    async outcomes() {
      const entries = await client.xrange(keys.results, "-", "+");
      return entries.map(([, fields]) => JSON.parse(fields[1] ?? "") as RowOutcome);
    },
  };
}

async function removeRun(client: RedisClient, runId: string): Promise<void> {
  if (client.status !== "ready") return;
  const keys = await client.keys(`${runPrefix(runId)}*`);
  if (keys.length > 0) await client.unlink(...keys);
  await client.zrem(RUNS_KEY, runId);
}

/** What must hold in every reading once a run has begun. */
export function sumOfParts(progress: Progress): number {
  const { pending, open, succeeded, failed, needsInput, unprocessed } = progress;
  return pending + open + succeeded + failed + needsInput + unprocessed;
}

const TIMES = { attempts: 1, polls: 1, submittedAtMs: 1, finishedAtMs: 2 } as const;

/** A task of a row. */
export function testTask(row: number, changes: Partial<TaskEntry> = {}): TaskEntry {
  const taskId = `task-${row}`;
  const ids = { row, taskId, contextId: "context" };
  return { ...ids, weight: 1, attempts: 1, submittedAtMs: 1, tryGroup: 0, ...changes };
}

/** An outcome of a row, as short as can be. */
export function testOutcome(
  row: number,
  kind: RowOutcome["kind"] = "succeeded",
  text = "",
): RowOutcome {
  const base = { row, taskId: `task-${row}`, contextId: "context", ...TIMES };
  switch (kind) {
    case "succeeded":
      return {
        ...base,
        kind,
        source: "artifact",
        artifacts: [{ name: "", parts: [{ kind: "text", text }] }],
        message: [],
      };
    case "failed":
      return { ...base, kind, stage: "track", reason: "TASK_FAILED", code: "", message: text };
    case "needs-input":
      return { ...base, kind, question: text };
  }
}
