import { errorText } from "../core/errors.ts";
import { isSettled } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { FatalStop } from "../core/stop.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import { createRunQueues } from "../queue/run-queues.ts";
import type { CallGate } from "../redis/gate.ts";
import { runPrefix } from "../redis/keys.ts";
import { Ledger } from "../redis/ledger.ts";
import type { ListedRun } from "../redis/run-list.ts";
import { listKnownRuns } from "../redis/run-list.ts";
import { RunRecord } from "../redis/run-record.ts";
import { agentOrigin } from "./agent-gate.ts";
import type { ProcessDeps } from "./run-context.ts";
import { RunWork } from "./run-work.ts";

/** Works on every active run of one agent, as they come and go. */
export interface RunServer {
  start(): void;
  /** Resolves when the calls in flight have ended. */
  stop(reason: string): Promise<void>;
  /** Ids of the runs that are being worked on. */
  serving(): readonly string[];
}

export interface RunServerDeps extends ProcessDeps {
  /** As configured; runs of another origin are left alone. */
  readonly agentUrl: string;
  readonly gate: CallGate;
  /** The agent takes no call of this process any more. */
  readonly onStop: (stop: FatalStop, run: RunRecord) => void;
  readonly onError: (error: unknown) => void;
}

interface ServedRun {
  readonly work: RunWork;
  readonly queues: RunQueues;
}

const LOOK_EVERY_MS = 1_000;
/** Each run costs connections; the oldest come first. */
const MAX_RUNS = 20;

export function createRunServer(deps: RunServerDeps): RunServer {
  const served = new Map<string, ServedRun>();
  const ownOrigin = agentOrigin(deps.agentUrl);
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const active = (await listKnownRuns(deps.redis.client))
      .filter(isActive)
      .filter(({ settings }) => agentOrigin(settings.agentUrl) === ownOrigin)
      .slice(0, MAX_RUNS);
    const activeIds = new Set(active.map(({ runId }) => runId));
    for (const [runId, run] of served) {
      if (!activeIds.has(runId)) await letGo(runId, run, "the run has ended");
    }
    for (const { runId, settings } of active) {
      if (!served.has(runId) && timer !== undefined) served.set(runId, takeUp(deps, settings));
    }
  }

  async function letGo(runId: string, run: ServedRun, reason: string): Promise<void> {
    served.delete(runId);
    await run.work.stop(reason);
    if (!deps.redis.isAway()) await run.queues.close();
    deps.log.info("worker.let-go", { runId });
  }

  function tick(): void {
    if (deps.redis.isAway()) return;
    looking ??= look()
      .catch((error: unknown) => deps.log.warn("worker.look", { error: errorText(error) }))
      .finally(forgetLook);
  }

  function forgetLook(): void {
    looking = undefined;
  }

  return {
    start() {
      if (timer !== undefined) return;
      timer = setInterval(tick, LOOK_EVERY_MS);
      tick();
    },
    async stop(reason) {
      clearInterval(timer);
      timer = undefined;
      await looking;
      await Promise.all([...served].map(([runId, run]) => letGo(runId, run, reason)));
    },
    serving: () => [...served.keys()],
  };
}

type ActiveRun = ListedRun & { readonly settings: RunSettings };

/** A run whose total is known and that has not settled. */
function isActive(run: ListedRun): run is ActiveRun {
  const { progress, settings } = run;
  if (progress === undefined || settings === undefined) return false;
  return progress.status !== "ingesting" && !isSettled(progress.status);
}

function takeUp(deps: RunServerDeps, settings: RunSettings): ServedRun {
  const { client } = deps.redis;
  const { runId } = settings;
  deps.log.info("worker.take-up", { runId });
  const queues = createRunQueues(client, runPrefix(runId));
  const record = new RunRecord(client, runId);
  const ledger = new Ledger(client, runId, settings);
  const work = new RunWork({
    ...deps,
    settings,
    record,
    ledger,
    queues,
    onWorking: () => Promise.resolve(),
    onStop: (stop) => deps.onStop(stop, record),
  });
  work.start();
  return { work, queues };
}
