import type { Progress } from "../core/progress.ts";
import { isSettled } from "../core/progress.ts";
import type { SendBounds } from "../redis/ledger.ts";
import type { Heartbeat, RunPulse, RunRecord } from "../redis/run-record.ts";
import type { SendHold, SendState } from "../steps/send-hold.ts";

/** Keeps the run's heartbeat and this process's picture of it. */
export interface Monitor {
  start(): void;
  stop(): Promise<void>;
  /** The last reading; undefined before the first. */
  progress(): Progress | undefined;
  /** SendMessage calls per second over the last seconds, all processes together. */
  sendPerSecond(): number;
}

export interface MonitorDeps {
  readonly record: RunRecord;
  readonly bounds: SendBounds;
  readonly sendHold: SendHold;
  readonly isRedisAway: () => boolean;
  /** How the agent was since this was last asked. */
  readonly agent: () => Heartbeat["agent"];
  /** Called when an operator cancels the run, also more than once. */
  readonly onCanceled: () => void;
  /** Called after each reading, and instead of one while Redis is away. */
  readonly onReading: () => void;
}

const PERIOD_MS = 500;
const RATE_WINDOW_MS = 10_000;

/** A reading that fails is followed by the next one. */
function noReading(): void {}

interface Sample {
  readonly atMs: number;
  readonly sends: number;
}

function sendStateOf(pulse: RunPulse, { maxOpenTasks, backlogBytes }: SendBounds): SendState {
  const { status } = pulse;
  if (status === "paused") return "paused";
  if (status === "stopping" || (status !== undefined && isSettled(status))) return "ended";
  const isFull = maxOpenTasks !== undefined && pulse.placesTaken >= maxOpenTasks;
  return pulse.backlogBytes > backlogBytes || isFull ? "full" : "free";
}

export function createMonitor(deps: MonitorDeps): Monitor {
  let timer: NodeJS.Timeout | undefined;
  let reading: Promise<void> | undefined;
  let last: Progress | undefined;
  let samples: Sample[] = [];

  async function read(): Promise<void> {
    const pulse = await deps.record.heartbeat({ agent: deps.agent() });
    deps.sendHold.set(sendStateOf(pulse, deps.bounds));
    if (pulse.isCanceled) deps.onCanceled();
    last = (await deps.record.progress()) ?? last;
    if (last !== undefined) {
      const atMs = performance.now();
      samples = samples.filter((sample) => sample.atMs > atMs - RATE_WINDOW_MS);
      samples.push({ atMs, sends: last.sendMessageCalls });
    }
    deps.onReading();
  }

  function tick(): void {
    // While Redis is away nothing can be read, and readings must not pile up.
    if (deps.isRedisAway()) deps.onReading();
    else reading ??= read().catch(noReading).finally(forgetReading);
  }

  function forgetReading(): void {
    reading = undefined;
  }

  return {
    start() {
      if (timer !== undefined) return;
      timer = setInterval(tick, PERIOD_MS);
      tick();
    },
    async stop() {
      clearInterval(timer);
      timer = undefined;
      if (!deps.isRedisAway()) await reading;
    },
    progress: () => last,
    sendPerSecond() {
      const [first] = samples;
      const newest = samples.at(-1);
      if (first === undefined || newest === undefined || newest.atMs === first.atMs) return 0;
      return ((newest.sends - first.sends) * 1000) / (newest.atMs - first.atMs);
    },
  };
}
