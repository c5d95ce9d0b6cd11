import type { ConnectionOptions, Job } from "bullmq";
import { DelayedError, Worker } from "bullmq";
import type { Step, StepJob, StepOutcome } from "../core/job.ts";
import type { QueueName } from "./run-queues.ts";
import { QUEUE_NAMES } from "./run-queues.ts";

export interface StepWorkerOptions<Data> {
  readonly connection: ConnectionOptions;
  readonly prefix: string;
  readonly queue: QueueName;
  readonly concurrency: number;
  readonly step: Step<Data>;
  /** Whether an error means that Redis cannot take writes now; the job is then tried again later. */
  readonly isOutage: (error: unknown) => boolean;
  /** Takes an error that no step expects: a bug. */
  readonly onBug: (error: unknown) => void;
}

export interface StepWorker {
  start(): void;
  /** Takes no more jobs, aborts what waits, and resolves when the jobs in hand have ended. */
  stop(reason: string): Promise<void>;
}

const WORKER_OPTIONS = {
  autorun: false,
  // What a dead process held is taken up within 15 s: lock, then the next stalled check. Equal in every process.
  lockDuration: 10_000,
  stalledInterval: 5_000,
  // Crashes say nothing about a row; BullMQ's own limit would fail it at the second one.
  maxStalledCount: 1_000_000,
  drainDelay: 5,
  removeOnComplete: { count: 0 },
};

/** Runs one step for each job of one queue; the only place where steps meet BullMQ. */
export function createStepWorker<Data>(options: StepWorkerOptions<Data>): StepWorker {
  const { queue, prefix, step } = options;

  async function process(
    job: Job<Data>,
    token: string | undefined,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const id = job.id ?? "";
    const lockKey = `${prefix}:${QUEUE_NAMES[queue]}:${id}:lock`;
    const outcome = await runStep(
      { data: job.data, lockKey, token: token ?? "" },
      signal ?? new AbortController().signal,
    );
    if (outcome.kind !== "again") return;
    const held = { worker, id, token: token ?? "" };
    await moveOn(held, outcome, options.onBug);
    throw new DelayedError();
  }

  async function runStep(job: StepJob<Data>, signal: AbortSignal): Promise<StepOutcome<Data>> {
    try {
      return await step(job, signal);
    } catch (error) {
      // The shutdown took away what the step waited for: the job stays as it is.
      if (!signal.aborted && !options.isOutage(error)) options.onBug(error);
      return { kind: "again", data: job.data, delayMs: 1_000 };
    }
  }

  const { connection, concurrency } = options;
  const worker = new Worker<Data, void>(QUEUE_NAMES[queue], process, {
    ...WORKER_OPTIONS,
    connection,
    prefix,
    concurrency,
  });
  const rest = createRest(worker, options.isOutage);
  worker.on("lockRenewalFailed", (ids) => {
    for (const id of ids) worker.cancelJob(id, "lock lost");
  });

  return {
    start() {
      worker.run().catch(options.onBug);
    },
    async stop(reason) {
      rest.stop();
      const closing = worker.close();
      worker.cancelAllJobs(reason);
      // Not waited for: a client that was never connected is none to end.
      endBlockingClient(worker).catch(() => undefined);
      await closing;
    },
  };
}

/** How long a worker asks for no job after Redis has refused to give one. */
const REST_MS = 1_000;

/** Times in which a worker takes no jobs. */
interface Rest {
  /** No more of them. */
  stop(): void;
}

/**
 * A Redis that is full refuses to hand out jobs, and BullMQ asks again at once: thousands of times a
 * second. Jobs in hand go on meanwhile.
 */
function createRest<Data>(worker: Worker<Data, void>, isOutage: (error: unknown) => boolean): Rest {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  worker.on("error", (error) => {
    if (!isOutage(error) || timer !== undefined || isStopped) return;
    void worker.pause(true);
    timer = setTimeout(() => {
      timer = undefined;
      void worker.resume();
    }, REST_MS);
  });
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** A job in the hands of a worker. */
interface HeldJob<Data> {
  readonly worker: Worker<Data, void>;
  readonly id: string;
  readonly token: string;
}

/** One atomic, fenced move with the new data: another process never runs the old step. */
async function moveOn<Data>(
  { worker, id, token }: HeldJob<Data>,
  next: Extract<StepOutcome<Data>, { kind: "again" }>,
  onBug: (error: unknown) => void,
): Promise<void> {
  try {
    await worker.getBackend().moveToDelayed(id, Date.now(), next.delayMs, token, {
      skipAttempt: true,
      fieldsToUpdate: { data: JSON.stringify(next.data) },
    });
  } catch (error) {
    // The job is somebody else's by now, or Redis takes no writes. BullMQ must not fail it for that,
    // since nobody takes up failed jobs: left alone, the next stalled check brings it back.
    if (error instanceof TypeError) onBug(error);
  }
}

/**
 * BullMQ disconnects the client that waits for jobs and waits for its 'end', which ioredis never
 * tells between two attempts to reconnect: closing would take for ever, Redis back or not. One last
 * attempt, after which it does not reconnect, brings it.
 */
async function endBlockingClient<Data>(worker: Worker<Data, void>): Promise<void> {
  const client = await worker.getBackend().blockingClient;
  if (client?.status !== "reconnecting") return;
  client.once("ready", () => client.disconnect());
  await client.connect();
}
