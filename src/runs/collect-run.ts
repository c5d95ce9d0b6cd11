import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Log } from "../core/log.ts";
import type { OutputForm } from "../core/output-form.ts";
import { isSettled } from "../core/progress.ts";
import type { RedisHandle } from "../redis/connect.ts";
import { SendHold } from "../steps/send-hold.ts";
import type { AnswerStore } from "./answer-store.ts";
import { settledEnd } from "./choose-file.ts";
import { createRunCollector } from "./collector.ts";
import { NO_EARLIER_ANSWERS } from "./earlier-answers.ts";
import { feedRows } from "./feed-rows.ts";
import type { FoundRun } from "./find-run.ts";
import { requireInput } from "./given-input.ts";
import { guardJournal } from "./guard-journal.ts";
import { holdRun } from "./hold-run.ts";
import { createMonitor } from "./monitor.ts";
import type { HeldRun } from "./open-run.ts";
import { restoreFromJournal } from "./open-run.ts";
import { createRefeed } from "./refeed.ts";
import type { RunEnd } from "./run-context.ts";
import type { SessionEnd } from "./session.ts";
import { createEnd, endOnLostLease, endOnSignal } from "./session.ts";

export interface CollectDeps {
  readonly openRedis: () => Promise<RedisHandle>;
  readonly log: Log;
  /** Lines for people. */
  readonly warn: (text: string) => void;
  /** Absolute. */
  readonly outDir: string;
  /** `--input`: the run's input, for a host without its copy; absolute. */
  readonly input: string | undefined;
  readonly form: OutputForm;
  /** Where the run's answers are kept for later runs. */
  readonly answers: AnswerStore;
  readonly stopSignal: AbortSignal;
}

/**
 * Writes the outputs of a run until it is settled, while others work on it. Waits for another
 * process that holds the run; one that is settled on this disk needs nothing.
 *
 * @throws OnboardError exit 2 when the input is not here, or the outputs are elsewhere
 */
export async function collectRun(deps: CollectDeps, run: FoundRun): Promise<RunEnd> {
  const { runId, onDisk, listed } = run;
  if (onDisk?.summary !== undefined && isSettled(onDisk.summary.status)) {
    return settledEnd(deps.outDir, runId);
  }
  const settings = onDisk?.header?.settings ?? listed?.settings;
  if (settings === undefined) {
    throw new OnboardError(EXIT.usage, `nothing is left of run ${runId} but its name`);
  }
  const redis = await deps.openRedis();
  const { outDir, warn, stopSignal } = deps;
  const given = { file: deps.input, outDir };
  const placeInput = (target: string): Promise<void> => requireInput(given, settings, target);
  const opening = { client: redis.client, outDir, warn, stopSignal, placeInput };
  const { log, form, answers } = deps;
  const holding = { redis, opening, log, form, answers, whenHeld: "wait" } as const;
  return holdRun(holding, settings, (held) => collectUntilSettled({ ...deps, redis }, held));
}

/** What is put back was left out of the queue by a loss, and is sent. */
const ALL_AT_ONCE = {
  windowRows: Number.POSITIVE_INFINITY,
  earlier: NO_EARLIER_ANSWERS,
  onBacklog: () => undefined,
};

async function collectUntilSettled(
  deps: CollectDeps & { readonly redis: RedisHandle },
  run: HeldRun,
): Promise<SessionEnd> {
  const [ended, tellEnd] = createEnd();
  const forgetSignal = endOnSignal(deps.stopSignal, tellEnd);
  endOnLostLease(run.leaseLost, tellEnd);
  const monitor = createMonitor({
    ...run,
    bounds: run.settings,
    isRedisAway: () => deps.redis.isAway(),
    sendHold: new SendHold(),
    // Collecting asks the agent nothing, so it cannot tell how it is.
    agent: () => "unknown",
    onCanceled: () => undefined,
    onReading: () => undefined,
  });
  const refeed = createRefeed({
    ...run,
    log: deps.log,
    progress: () => monitor.progress(),
    feed: (signal) => feedRows({ ...run, ...ALL_AT_ONCE }, signal),
  });
  const endGuard = await guardJournal({
    ...deps,
    restore: () => restoreFromJournal(run),
    // Others send, on whatever hosts.
    blockSends: () => () => undefined,
  });
  monitor.start();
  refeed.start();
  const collector = createRunCollector(deps, run, {
    queues: run.queues,
    onSettled: () => tellEnd({ kind: "settled" }),
    onFailure: (error) => tellEnd({ kind: "error", error }),
  });
  collector.start();
  const end = await ended;
  forgetSignal();
  await refeed.stop();
  endGuard();
  await collector.stop();
  await monitor.stop();
  return end;
}
