import type { AgentClient } from "../a2a/client.ts";
import type { Log } from "../core/log.ts";
import { createPollSchedule } from "../core/poll-schedule.ts";
import { isRedisOutage } from "../core/redis-outage.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { FatalStop } from "../core/stop.ts";
import type { RunQueues } from "../queue/run-queues.ts";
import type { StepWorker, StepWorkerOptions } from "../queue/step-worker.ts";
import { createStepWorker } from "../queue/step-worker.ts";
import type { RedisHandle } from "../redis/connect.ts";
import type { CallGate } from "../redis/gate.ts";
import { runPrefix } from "../redis/keys.ts";
import type { Ledger } from "../redis/ledger.ts";
import type { RunRecord } from "../redis/run-record.ts";
import { createRowLog } from "../steps/row-log.ts";
import type { SendHold } from "../steps/send-hold.ts";
import type { StoreAnswer } from "../steps/step-deps.ts";
import { createSubmitStep } from "../steps/submit.ts";
import { createTrackStep } from "../steps/track.ts";

/** What calling the agent for one run needs. */
interface RunWorkerDeps {
  readonly settings: RunSettings;
  readonly client: AgentClient;
  readonly gate: CallGate;
  readonly ledger: Ledger;
  readonly record: RunRecord;
  readonly queues: RunQueues;
  readonly redis: RedisHandle;
  readonly storeAnswer: StoreAnswer;
  readonly log: Log;
  readonly logData: boolean;
  readonly sendHold: SendHold;
  readonly isCanceling: () => boolean;
  readonly concurrency: number;
  readonly onStop: (stop: FatalStop) => void;
  readonly onError: (error: unknown) => void;
}

/** The workers of both queues of one run. */
export function createRunWorker(deps: RunWorkerDeps): StepWorker {
  const stepDeps = {
    ...deps,
    addSubmit: (job: Parameters<RunQueues["addSubmits"]>[0][number]) =>
      deps.queues.addSubmits([job]),
    addTrack: deps.queues.addTrack.bind(deps.queues),
    rowLog: createRowLog(deps.log, deps.settings.runId, deps.logData),
    schedule: createPollSchedule(),
    callSignal: new AbortController().signal,
    now: Date.now,
    random: Math.random,
  };
  const shared = {
    connection: deps.redis.client,
    prefix: runPrefix(deps.settings.runId),
    concurrency: deps.concurrency,
    isOutage: isRedisOutage,
    onBug: deps.onError,
  } satisfies Partial<StepWorkerOptions<unknown>>;
  const workers = [
    createStepWorker({ ...shared, queue: "submit", step: createSubmitStep(stepDeps) }),
    createStepWorker({ ...shared, queue: "track", step: createTrackStep(stepDeps) }),
  ];
  return {
    start() {
      for (const worker of workers) worker.start();
    },
    async stop(reason) {
      await Promise.all(workers.map((worker) => worker.stop(reason)));
    },
  };
}
