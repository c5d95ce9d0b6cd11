import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { createAgentClient } from "../../src/a2a/client.ts";
import { createTransport } from "../../src/a2a/transport.ts";
import type { StepJob, StepOutcome, SubmitJob, TrackJob } from "../../src/core/job.ts";
import type { RowOutcome } from "../../src/core/outcome.ts";
import { createPollSchedule } from "../../src/core/poll-schedule.ts";
import type { RunSettings } from "../../src/core/run-settings.ts";
import type { FatalStop } from "../../src/core/stop.ts";
import { CallGate } from "../../src/redis/gate.ts";
import { gateKey, runPrefix } from "../../src/redis/keys.ts";
import type { Sandbox } from "../../src/sandbox/agent.ts";
import { createSandbox } from "../../src/sandbox/agent.ts";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import type { SandboxStats } from "../../src/sandbox/stats.ts";
import { createRowLog } from "../../src/steps/row-log.ts";
import { SendHold } from "../../src/steps/send-hold.ts";
import type { StepDeps } from "../../src/steps/step-deps.ts";
import { createSubmitStep } from "../../src/steps/submit.ts";
import { createTrackStep } from "../../src/steps/track.ts";
import type { TestRun } from "./run-for-tests.ts";
import { createTestRun, openTestRedis, SILENT } from "./run-for-tests.ts";

export interface HarnessOptions {
  readonly sandbox?: SandboxOptions;
  readonly settings?: Partial<RunSettings>;
  /** Rows of the run; 1 when left out. */
  readonly total?: number;
  readonly cancelTimeoutMs?: number;
  /** Where calls go instead of to the sandbox. */
  readonly endpoint?: string;
}

/** What waits to be done next for some row. */
type Activation =
  | { readonly step: "submit"; readonly job: SubmitJob; readonly delayMs: number }
  | { readonly step: "track"; readonly job: TrackJob; readonly delayMs: number };

/** How long the sandbox's tasks take: they have not ended in the first answer, but at the first poll. */
const TASK_MS = 30;

/**
 * One run's steps on a real Redis and, over HTTP, the sandbox; the part of the queues is played by
 * hand. Waits between activations pass on a clock of the harness's own, not in the test.
 */
export interface StepHarness {
  readonly run: TestRun;
  readonly sandbox: Sandbox;
  readonly deps: StepDeps;
  readonly stops: readonly FatalStop[];
  /** What waits now. */
  readonly waiting: readonly Activation[];
  /** What happens to a row that a step wants to send anew: it is added, unless a test says otherwise. */
  onSubmit: (job: SubmitJob) => void;
  /** Puts a row's first send among what waits. */
  add(row: number, changes?: Partial<SubmitJob>): void;
  /** Forgets what waits. */
  clear(): void;
  /** Does the activation that is due next. */
  step(signal?: AbortSignal): Promise<StepOutcome<SubmitJob> | StepOutcome<TrackJob>>;
  /** Does whatever waits until nothing does; at most so many activations. */
  finish(maxActivations?: number): Promise<void>;
  /** Sends one row to its end; its outcome. */
  through(row?: number): Promise<RowOutcome>;
  /** ms that have passed on the harness's clock. */
  passedMs(): number;
  /** Lets time pass. */
  pass(ms: number): void;
  calls(): Pick<SandboxStats["calls"], "SendMessage" | "GetTask" | "CancelTask">;
}

export async function createStepHarness(options: HarnessOptions = {}): Promise<StepHarness> {
  const sandbox = createSandbox({ duration: { kind: "fixed", ms: TASK_MS }, ...options.sandbox });
  onTestFinished(() => sandbox.stop());
  const { url } = await sandbox.start();
  const { client } = await openTestRedis();
  const { total = 1, settings = {} } = options;
  const run = await createTestRun(client, { total, settings });
  const transport = createTransport();
  onTestFinished(() => transport.close());
  const gate = new CallGate({
    client,
    key: gateKey(url, randomUUID()),
    concurrency: 8,
    log: SILENT,
  });
  onTestFinished(() => gate.stop());

  const waiting: (Activation & { readonly dueMs: number })[] = [];
  const stops: FatalStop[] = [];
  let nowMs = Date.now();
  const startMs = nowMs;
  const addWaiting = (activation: Activation): void => {
    waiting.push({ ...activation, dueMs: nowMs + activation.delayMs });
  };

  const { requestTimeoutMs, maxResponseBytes, acceptedOutputModes } = run.settings;
  const deps: StepDeps = {
    settings: run.settings,
    client: createAgentClient({
      transport,
      endpoint: options.endpoint ?? url,
      requestTimeoutMs,
      maxResponseBytes,
      acceptedOutputModes,
      cancelTimeoutMs: options.cancelTimeoutMs,
    }),
    gate,
    ledger: run.ledger,
    record: run.record,
    storeAnswer: (_answer, store) => store(),
    addSubmit: async (job) => harness.onSubmit(job),
    addTrack: async (job, delayMs) => addWaiting({ step: "track", job, delayMs }),
    schedule: createPollSchedule(),
    rowLog: createRowLog(SILENT, run.settings.runId, false),
    sendHold: new SendHold(),
    isCanceling: () => false,
    callSignal: new AbortController().signal,
    onStop: (stop) => void stops.push(stop),
    now: () => nowMs,
    random: () => 0.5,
  };
  const submit = createSubmitStep(deps);
  const track = createTrackStep(deps);

  async function lockOf(queue: "submit" | "track", row: number) {
    const lockKey = `${runPrefix(run.settings.runId)}:${queue}:r-${row}:lock`;
    const token = randomUUID();
    await client.set(lockKey, token);
    return { lockKey, token };
  }

  function takeNext(): Activation {
    waiting.sort((a, b) => a.dueMs - b.dueMs);
    const next = waiting.shift();
    if (next === undefined) throw new Error("nothing waits");
    nowMs = Math.max(nowMs, next.dueMs);
    return next;
  }

  async function step(signal = new AbortController().signal) {
    const next = takeNext();
    const lock = await lockOf(next.step, next.job.row);
    if (next.step === "submit") {
      const job: StepJob<SubmitJob> = { data: next.job, ...lock };
      const outcome = await submit(job, signal);
      if (outcome.kind === "again") {
        addWaiting({ step: "submit", job: outcome.data, delayMs: outcome.delayMs });
      }
      return outcome;
    }
    // The sandbox has a clock of its own.
    if (next.job.polls === 0) await delay(TASK_MS + 5);
    const outcome = await track({ data: next.job, ...lock }, signal);
    if (outcome.kind === "again") {
      addWaiting({ step: "track", job: outcome.data, delayMs: outcome.delayMs });
    }
    return outcome;
  }

  const harness: StepHarness = {
    run,
    sandbox,
    deps,
    stops,
    waiting,
    onSubmit: (job) => addWaiting({ step: "submit", job, delayMs: 0 }),
    add(row, changes = {}) {
      const text = `Name: Partner ${row} GmbH, Country: DE`;
      const job = { row, weight: 1, text, tryGroup: 0, sends: 0, spent: [], ...changes };
      addWaiting({ step: "submit", job, delayMs: 0 });
    },
    clear() {
      waiting.length = 0;
    },
    step,
    async finish(maxActivations = 100) {
      for (let done = 0; waiting.length > 0; done += 1) {
        if (done === maxActivations) throw new Error(`still busy: ${JSON.stringify(waiting)}`);
        await step();
      }
    },
    async through(row = 1) {
      harness.add(row);
      await harness.finish();
      const outcome = (await run.outcomes()).find((one) => one.row === row);
      if (outcome === undefined) throw new Error("the row has no outcome");
      return outcome;
    },
    passedMs: () => nowMs - startMs,
    pass(ms) {
      nowMs += ms;
    },
    calls() {
      const { SendMessage, GetTask, CancelTask } = sandbox.stats().calls;
      return { SendMessage, GetTask, CancelTask };
    },
  };
  return harness;
}
