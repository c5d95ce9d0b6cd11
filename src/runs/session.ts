import { EventEmitter } from "node:events";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Progress } from "../core/progress.ts";
import type { FatalStop } from "../core/stop.ts";
import type { RedisHandle } from "../redis/connect.ts";
import { createAgentGate } from "./agent-gate.ts";
import { createRunCollector } from "./collector.ts";
import type { EarlierAnswers } from "./earlier-answers.ts";
import { NO_EARLIER_ANSWERS } from "./earlier-answers.ts";
import { feedRows } from "./feed-rows.ts";
import { guardJournal } from "./guard-journal.ts";
import type { HeldRun, OpenRun } from "./open-run.ts";
import { restoreFromJournal } from "./open-run.ts";
import { createRefeed } from "./refeed.ts";
import type { ProcessDeps, RunFileDeps } from "./run-context.ts";
import { RunWork } from "./run-work.ts";

/** How the work of a process on a run ended. */
export type SessionEnd =
  | { readonly kind: "settled" }
  | { readonly kind: "stopped"; readonly stop: FatalStop }
  | { readonly kind: "signal"; readonly exitCode: typeof EXIT.interrupted | typeof EXIT.terminated }
  | { readonly kind: "error"; readonly error: unknown };

interface SessionDeps extends RunFileDeps, ProcessDeps {
  readonly redis: RedisHandle;
  /** Answers of earlier runs for rows that this process puts into the queue. */
  readonly openEarlier: () => EarlierAnswers;
}

export type TellEnd = (end: SessionEnd) => void;

/** Feeds, sends, follows and collects until the run settles or something ends the work. */
export async function runSession(deps: SessionDeps, run: HeldRun): Promise<SessionEnd> {
  const { queues } = run;
  const [ended, tellEnd] = createEnd();
  const forgetSignal = endOnSignal(deps.stopSignal, tellEnd);
  endOnLostLease(run.leaseLost, tellEnd);
  const gate = createAgentGate(deps, run.settings.agentUrl);
  const onError = (error: unknown): void => tellEnd({ kind: "error", error });
  const collector = createRunCollector(deps, run, {
    queues,
    onSettled: () => tellEnd({ kind: "settled" }),
    onFailure: onError,
  });
  const feed = (signal: AbortSignal): Promise<void> => {
    const earlier = run.isReopened ? NO_EARLIER_ANSWERS : deps.openEarlier();
    const feeding = { ...run, windowRows: deps.config.window, earlier };
    return feedRows({ ...feeding, onBacklog: () => undefined }, signal);
  };
  const work = new RunWork({
    ...deps,
    ...run,
    gate,
    onWorking: async (signal) => {
      await feed(signal);
      refeed.start();
    },
    onStop: (stop) => tellEnd({ kind: "stopped", stop }),
    onError,
  });
  const progress = (): Progress | undefined => work.monitor.progress();
  const refeed = createRefeed({ log: deps.log, progress, queues, feed });
  showWork(deps, run, work);
  const endGuard = await guardJournal({
    ...deps,
    restore: () => restoreFromJournal(run),
    blockSends: () => work.blockSends(),
  });
  collector.start();
  work.start();

  const end = await ended;
  forgetSignal();
  await refeed.stop();
  await work.stop(end.kind);
  endGuard();
  gate.stop();
  await collector.stop();
  return end;
}

function showWork(deps: SessionDeps, { settings }: OpenRun, work: RunWork): void {
  deps.onView({
    settings,
    progress: () => work.monitor.progress(),
    sendPerSecond: () => work.monitor.sendPerSecond(),
    condition: () => work.condition(),
    isRedisAway: () => deps.redis.isAway(),
  });
}

/** An end that the first one to tell decides. */
export function createEnd(): [Promise<SessionEnd>, TellEnd] {
  const telling = new EventEmitter();
  const ended = new Promise<SessionEnd>((resolve) => {
    telling.once("end", resolve);
  });
  return [ended, (end) => void telling.emit("end", end)];
}

/** @returns what ends the listening */
export function endOnSignal(signal: AbortSignal, tellEnd: TellEnd): () => void {
  const listener = (): void => tellEnd({ kind: "signal", exitCode: exitCodeOfSignal(signal) });
  if (signal.aborted) listener();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** What was taken over while this process was stalled is the other's. */
export function endOnLostLease(leaseLost: AbortSignal, tellEnd: TellEnd): void {
  leaseLost.addEventListener("abort", () => {
    const error = new OnboardError(EXIT.held, "another process has taken this run over", {
      hint: "this one was stalled for too long; watch the other with onboard-batch status",
    });
    tellEnd({ kind: "error", error });
  });
}

/** The exit code that the command gave its stop signal as the reason. */
export function exitCodeOfSignal({
  reason,
}: AbortSignal): typeof EXIT.interrupted | typeof EXIT.terminated {
  return reason === EXIT.terminated ? EXIT.terminated : EXIT.interrupted;
}
