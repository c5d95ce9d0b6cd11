import { setTimeout as delay } from "node:timers/promises";
import { errorText } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { parseOutcome } from "../core/outcome-content.ts";
import { isRedisOutage } from "../core/redis-outage.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import type { ResultStream, StreamedOutcome } from "../redis/result-stream.ts";
import { createResultStream } from "../redis/result-stream.ts";
import type { RunRecord } from "../redis/run-record.ts";
import type { Journal } from "./journal-file.ts";
import type { FileStore } from "./outcome-files.ts";
import { createFileStore } from "./outcome-files.ts";
import type { ProcessDeps } from "./run-context.ts";
import type { RunFolder } from "./run-folder.ts";
import { settleWhenDone } from "./settle.ts";

/** Moves outcomes from Redis into the journal: synced there first, removed here then. */
export interface Collector {
  start(): void;
  /** Takes in what is left and ends; resolves when the journal has it. */
  stop(): Promise<void>;
}

interface CollectorDeps {
  readonly stream: ResultStream;
  readonly journal: Journal;
  readonly files: FileStore;
  readonly log: Log;
  /** Called after each round, busy or idle: the run may have settled. */
  readonly onRound: () => Promise<void>;
  /** The journal cannot be written, or a defect: nothing more can be collected. */
  readonly onFailure: (error: unknown) => void;
}

const BATCH_OUTCOMES = 1000;
const IDLE_MS = 250;
const OUTAGE_WAIT_MS = 500;

/** One collector a run; whoever starts it holds the run's lease. */
function createCollector(deps: CollectorDeps): Collector {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) await round();
  }

  async function round(): Promise<void> {
    try {
      await collectOnce(IDLE_MS);
      await deps.onRound();
    } catch (error) {
      if (stopping.signal.aborted) return;
      if (!isRedisOutage(error)) {
        stopping.abort();
        deps.onFailure(error);
        return;
      }
      deps.log.warn("collect.redis-away", { error: errorText(error) });
      await delay(OUTAGE_WAIT_MS);
    }
  }

  async function collectOnce(blockMs: number): Promise<number> {
    const read = await deps.stream.read(BATCH_OUTCOMES, blockMs);
    if (read.length === 0) return 0;
    await deps.journal.append(await Promise.all(read.map((one) => toJournal(one))));
    await deps.stream.trim(read);
    return read.length;
  }

  /** Files go to disk before the outcome that names them. */
  async function toJournal({ json }: StreamedOutcome): Promise<string> {
    if (!json.includes('"kind":"raw"')) return json;
    return JSON.stringify(await deps.files.store(parseOutcome(json)));
  }

  return {
    start() {
      running ??= loop();
    },
    async stop() {
      stopping.abort();
      await running;
      try {
        // The shortest wait that XREAD knows; 0 would wait for ever.
        while ((await collectOnce(1)) > 0);
      } catch (error) {
        deps.log.warn("collect.left", { error: errorText(error) });
      }
    },
  };
}

/** What a collector of a run needs of it. */
export interface CollectedRun {
  readonly settings: RunSettings;
  readonly folder: RunFolder;
  readonly journal: Journal;
  readonly record: RunRecord;
}

export interface CollectorEvents {
  readonly queues: Pick<RunQueues, "countActiveSubmits">;
  readonly onSettled: () => void;
  readonly onFailure: (error: unknown) => void;
}

/** The collector of a run, which also notices when the run has settled. */
export function createRunCollector(
  { redis, log }: Pick<ProcessDeps, "redis" | "log">,
  { settings, folder, journal, record }: CollectedRun,
  { queues, onSettled, onFailure }: CollectorEvents,
): Collector {
  return createCollector({
    stream: createResultStream(redis.client, redis.duplicateForBlocking(), settings.runId),
    journal,
    files: createFileStore(folder.dir),
    log,
    onRound: async () => {
      if (await settleWhenDone({ record, queues })) onSettled();
    },
    onFailure,
  });
}
