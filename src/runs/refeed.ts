import { errorText } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import type { Progress } from "../core/progress.ts";
import { isSettled } from "../core/progress.ts";
import type { RunQueues } from "../queue/run-queues.ts";

export interface RefeedDeps {
  readonly log: Log;
  /** The last reading of the run. */
  readonly progress: () => Progress | undefined;
  readonly queues: Pick<RunQueues, "countJobs">;
  /** Walks over the input and puts every row without outcome into its queue. */
  readonly feed: (signal: AbortSignal) => Promise<void>;
}

/** Feeds a run again when it stands still because Redis has lost jobs. */
export interface Refeed {
  start(): void;
  stop(): Promise<void>;
}

const LOOK_EVERY_MS = 2_000;
/** A job can be between two queues for a moment. */
const EMPTY_LOOKS = 2;

/**
 * Whatever made Redis forget jobs (its last second lost, a failover, an ingest that was killed), a run
 * with rows left and no job for any of them would stand still for ever.
 */
export function createRefeed({ log, progress, queues, feed }: RefeedDeps): Refeed {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let emptyLooks = 0;

  async function look(): Promise<void> {
    const isEmpty = hasRowsLeft(progress()) && (await queues.countJobs()) === 0;
    emptyLooks = isEmpty ? emptyLooks + 1 : 0;
    if (emptyLooks < EMPTY_LOOKS) return;
    emptyLooks = 0;
    log.warn("run.jobs-missing");
    await feed(stopping.signal);
  }

  function tick(): void {
    looking ??= look()
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) log.warn("run.not-fed", { error: errorText(error) });
      })
      .finally(() => {
        looking = undefined;
      });
  }

  return {
    start() {
      if (!stopping.signal.aborted) timer ??= setInterval(tick, LOOK_EVERY_MS);
    },
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await looking;
    },
  };
}

function hasRowsLeft(progress: Progress | undefined): boolean {
  if (progress === undefined || progress.status === "ingesting") return false;
  return !isSettled(progress.status) && progress.pending + progress.open > 0;
}
