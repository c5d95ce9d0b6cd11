import { EventEmitter } from "node:events";
import path from "node:path";
import { EXIT } from "../core/exit-code.ts";
import type { FatalStop } from "../core/stop.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import type { StepWorker } from "../queue/step-worker.ts";
import { CallGate } from "../redis/gate.ts";
import type { AgentCondition } from "../redis/gate-queue.ts";
import { gateKey } from "../redis/keys.ts";
import { createResultStream } from "../redis/result-stream.ts";
import type { SendHold } from "../steps/send-hold.ts";
import { createSendHold } from "../steps/send-hold.ts";
import type { AnswerFile } from "./answer-file.ts";
import { createAnswerFile, replayAnswers } from "./answer-file.ts";
import type { Collector } from "./collector.ts";
import { createCollector } from "./collector.ts";
import { feedRows } from "./feed-rows.ts";
import { meetAgent } from "./meet-agent.ts";
import type { Monitor } from "./monitor.ts";
import { createMonitor } from "./monitor.ts";
import type { OpenRun } from "./open-run.ts";
import { createFileStore } from "./outcome-files.ts";
import type { ChosenRun } from "./run-context.ts";
import { createRunWorker } from "./run-worker.ts";
import { settleWhenDone } from "./settle.ts";

/** How the work of a process on a run ended. */
export type SessionEnd =
  | { readonly kind: "settled" }
  | { readonly kind: "stopped"; readonly stop: FatalStop }
  | { readonly kind: "signal"; readonly exitCode: typeof EXIT.interrupted | typeof EXIT.terminated }
  | { readonly kind: "error"; readonly error: unknown };

type TellEnd = (end: SessionEnd) => void;

/** Sends, follows and collects until the run settles or something ends the work. */
export async function runSession(
  deps: ChosenRun,
  run: OpenRun,
  queues: RunQueues,
): Promise<SessionEnd> {
  const [ended, tellEnd] = createEnd();
  const forgetSignal = endOnSignal(deps.stopSignal, tellEnd);
  const parts = await createParts(deps, run, { queues, tellEnd });
  const { monitor, collector, condition } = parts;
  deps.onView({
    settings: run.settings,
    progress: () => monitor.progress(),
    sendPerSecond: () => monitor.sendPerSecond(),
    condition,
    isRedisAway: () => deps.redis.isAway(),
  });
  monitor.start();
  collector.start();
  const work = startWork(deps, run, { ...parts, queues, tellEnd });

  const end = await ended;
  forgetSignal();
  await work.stop(end.kind);
  parts.gate.stop();
  await collector.stop();
  await parts.answers.close();
  await monitor.stop();
  return end;
}

/** An end that the first one to tell decides. */
function createEnd(): [Promise<SessionEnd>, TellEnd] {
  const telling = new EventEmitter();
  const ended = new Promise<SessionEnd>((resolve) => {
    telling.once("end", resolve);
  });
  return [ended, (end) => void telling.emit("end", end)];
}

function endOnSignal(signal: AbortSignal, tellEnd: TellEnd): () => void {
  const listener = (): void => tellEnd({ kind: "signal", exitCode: exitCodeOfSignal(signal) });
  if (signal.aborted) listener();
  signal.addEventListener("abort", listener, { once: true });
  return () => signal.removeEventListener("abort", listener);
}

/** The exit code that the command gave its stop signal as the reason. */
export function exitCodeOfSignal({
  reason,
}: AbortSignal): typeof EXIT.interrupted | typeof EXIT.terminated {
  return reason === EXIT.terminated ? EXIT.terminated : EXIT.interrupted;
}

interface Parts {
  readonly gate: CallGate;
  readonly sendHold: SendHold;
  readonly answers: AnswerFile;
  readonly monitor: Monitor;
  readonly collector: Collector;
  readonly condition: () => AgentCondition;
  /** Takes in since when the agent is away before its first call. */
  readonly noteMeeting: (awaySinceMs: number | undefined) => void;
}

async function createParts(
  deps: ChosenRun,
  run: OpenRun,
  { queues, tellEnd }: { readonly queues: RunQueues; readonly tellEnd: TellEnd },
): Promise<Parts> {
  const { redis, log, config } = deps;
  const { settings, record, ledger } = run;
  const answerPath = path.join(deps.stateDir, "answers", `${settings.runId}.ndjson`);
  await replayAnswers(answerPath, ledger);
  const gate = new CallGate({
    client: redis.client,
    key: gateKey(agentOrigin(settings.agentUrl), deps.apiKey),
    concurrency: config.concurrency,
    log,
  });
  let meetingAwaySinceMs: number | undefined;
  const condition = (): AgentCondition => {
    const { awaySinceMs, nextTryAtMs } = gate.condition();
    return { awaySinceMs: awaySinceMs ?? meetingAwaySinceMs, nextTryAtMs };
  };
  const sendHold = createSendHold();
  const onReading = ({ awaySinceMs }: AgentCondition): void => {
    if (awaySinceMs === undefined || Date.now() - awaySinceMs < settings.giveUpAfterMs) return;
    tellEnd({ kind: "stopped", stop: { kind: "agent-down", message: "no answer for too long" } });
  };
  const isRedisAway = (): boolean => redis.isAway();
  return {
    gate,
    sendHold,
    answers: createAnswerFile(answerPath, log),
    monitor: createMonitor({
      record,
      bounds: settings,
      sendHold,
      isRedisAway,
      condition,
      onReading,
    }),
    collector: createRunCollector(deps, run, { queues, tellEnd }),
    condition,
    noteMeeting: (awaySinceMs) => {
      meetingAwaySinceMs = awaySinceMs;
    },
  };
}

function createRunCollector(
  { redis, log }: ChosenRun,
  { settings, folder, journal, record }: OpenRun,
  { queues, tellEnd }: { readonly queues: RunQueues; readonly tellEnd: TellEnd },
): Collector {
  return createCollector({
    stream: createResultStream(redis.client, redis.duplicateForBlocking(), settings.runId),
    journal,
    files: createFileStore(folder.dir),
    log,
    onRound: async () => {
      if (await settleWhenDone({ record, queues })) tellEnd({ kind: "settled" });
    },
    onFailure: (error) => tellEnd({ kind: "error", error }),
  });
}

/** The gate is one for everything below an agent's origin. */
function agentOrigin(agentUrl: string): string {
  return agentUrl === "sandbox" ? agentUrl : new URL(agentUrl).origin;
}

interface Work {
  /** Resolves when the calls in flight have ended. */
  stop(reason: string): Promise<void>;
}

/** Meets the agent, then feeds the queues and works on them at the same time. */
function startWork(
  deps: ChosenRun,
  run: OpenRun,
  parts: Parts & { readonly queues: RunQueues; readonly tellEnd: TellEnd },
): Work {
  const { tellEnd, queues } = parts;
  const { settings, ledger, record, plan, scan } = run;
  const stopping = new AbortController();
  let worker: StepWorker | undefined;
  const onBug = (error: unknown): void => tellEnd({ kind: "error", error });

  async function work(): Promise<void> {
    const agent = await deps.openAgent();
    const { transport, url } = agent;
    const { log, warn, apiKey } = deps;
    const meeting = { transport, agentUrl: url, apiKey, settings, log, warn };
    const client = await meetAgent({ ...meeting, onAway: parts.noteMeeting }, stopping.signal);
    worker = createRunWorker({
      settings,
      client,
      ledger,
      record,
      queues,
      onBug,
      gate: parts.gate,
      sendHold: parts.sendHold,
      storeAnswer: parts.answers.storeAnswer,
      redis: deps.redis,
      concurrency: deps.config.concurrency,
      onStop: (stop) => tellEnd({ kind: "stopped", stop }),
    });
    worker.start();
    const windowRows = deps.config.window;
    await feedRows({ plan, scan, ledger, queues, windowRows }, stopping.signal);
  }

  const working = work().catch((error: unknown) => {
    if (!stopping.signal.aborted) onBug(error);
  });
  return {
    async stop(reason) {
      stopping.abort();
      await working;
      await worker?.stop(reason);
    },
  };
}
