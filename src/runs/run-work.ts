import { errorText } from "../core/errors.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { FatalStop } from "../core/stop.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import type { StepWorker } from "../queue/step-worker.ts";
import type { CallGate } from "../redis/gate.ts";
import type { AgentCondition } from "../redis/gate-queue.ts";
import type { Ledger } from "../redis/ledger.ts";
import type { Heartbeat, RunRecord } from "../redis/run-record.ts";
import { SendHold } from "../steps/send-hold.ts";
import type { AnswerFile } from "./answer-file.ts";
import { createAnswerFile, ownAnswerFile, replayLeftAnswers } from "./answer-file.ts";
import { meetAgent } from "./meet-agent.ts";
import type { Monitor } from "./monitor.ts";
import { createMonitor } from "./monitor.ts";
import type { ProcessDeps } from "./run-context.ts";
import { createRunWorker } from "./run-worker.ts";

export interface RunWorkDeps extends ProcessDeps {
  readonly settings: RunSettings;
  readonly record: RunRecord;
  readonly ledger: Ledger;
  readonly queues: RunQueues;
  readonly gate: CallGate;
  /** Called once the workers run. */
  readonly onWorking: (signal: AbortSignal) => Promise<void>;
  readonly onStop: (stop: FatalStop) => void;
  readonly onError: (error: unknown) => void;
}

/** This process's work on one run: it meets the agent, then sends and follows. */
export class RunWork {
  readonly monitor: Monitor;

  private readonly deps: RunWorkDeps;
  private answers: AnswerFile | undefined;
  private readonly sendHold = new SendHold();
  private readonly stopping = new AbortController();
  private worker: StepWorker | undefined;
  private working: Promise<void> | undefined;
  private meetingAwaySinceMs: number | undefined;
  private answersSeen = 0;
  private isCanceling = false;

  constructor(deps: RunWorkDeps) {
    const { settings, record, redis } = deps;
    this.deps = deps;
    this.monitor = createMonitor({
      record,
      bounds: settings,
      sendHold: this.sendHold,
      isRedisAway: () => redis.isAway(),
      agent: () => this.takeAgent(),
      onCanceled: () => this.cancelTasks(),
      onReading: () => this.giveUpWhenAwayTooLong(),
    });
  }

  condition(): AgentCondition {
    const { awaySinceMs, nextTryAtMs } = this.deps.gate.condition();
    return { awaySinceMs: awaySinceMs ?? this.meetingAwaySinceMs, nextTryAtMs };
  }

  /** Lets no send of this process begin until the function that it gives is called. */
  blockSends(): () => void {
    return this.sendHold.block();
  }

  start(): void {
    const { signal } = this.stopping;
    this.monitor.start();
    this.working ??= this.work(signal).catch((error: unknown) => {
      if (!signal.aborted) this.deps.onError(error);
    });
  }

  /** Resolves when the calls in flight have ended and their answers are stored. */
  async stop(reason: string): Promise<void> {
    this.stopping.abort();
    await this.working;
    await this.worker?.stop(reason);
    await this.answers?.close();
    await this.monitor.stop();
  }

  /** The gate is shared by all runs of the process: each asks for itself. */
  private takeAgent(): Heartbeat["agent"] {
    const { answers } = this.deps.gate;
    const hadAnswer = answers > this.answersSeen;
    this.answersSeen = answers;
    if (hadAnswer) return "answers";
    return this.condition().awaySinceMs === undefined ? "unknown" : "away";
  }

  private async work(signal: AbortSignal): Promise<void> {
    const { deps, sendHold } = this;
    const { stateDir, settings, log } = deps;
    await replayLeftAnswers(stateDir, settings.runId, deps.ledger);
    this.answers = createAnswerFile(await ownAnswerFile(stateDir, settings.runId), log);
    const { url, transport } = await deps.openAgent();
    const onAway = (sinceMs: number | undefined): void => {
      this.meetingAwaySinceMs = sinceMs;
    };
    const client = await meetAgent({ ...deps, transport, agentUrl: url, onAway }, signal);
    const { storeAnswer } = this.answers;
    const isCanceling = (): boolean => this.isCanceling;
    this.worker = createRunWorker({ ...deps, client, sendHold, storeAnswer, isCanceling });
    this.worker.start();
    await deps.onWorking(signal);
  }

  /** Open tasks that wait for their next poll have their turn now. */
  private cancelTasks(): void {
    if (this.isCanceling) return;
    this.isCanceling = true;
    this.deps.queues.hastenTracks().catch((error: unknown) => {
      this.isCanceling = false;
      this.deps.log.warn("cancel.hasten", { error: errorText(error) });
    });
  }

  private giveUpWhenAwayTooLong(): void {
    const { settings, onStop } = this.deps;
    const { awaySinceMs } = this.condition();
    if (awaySinceMs === undefined || Date.now() - awaySinceMs < settings.giveUpAfterMs) return;
    onStop({ kind: "agent-down", message: "no answer for too long" });
  }
}
