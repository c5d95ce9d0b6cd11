import { EXIT } from "../core/exit-code.ts";
import type { SignalSource } from "./io.ts";

export type StopReason = "interrupted" | "terminated";

export interface StopSignalsDeps {
  readonly signals: SignalSource;
  readonly now: () => number;
  /** The first signal: finish what is in flight and end. */
  readonly onStop: (reason: StopReason) => void;
  /** The second: end at once. */
  readonly exitNow: (code: number) => void;
}

/**
 * A terminal signals the whole process group and a parent such as npm passes the signal on besides:
 * two signals nearer than this are one.
 */
const SAME_SIGNAL_MS = 100;

/** Listens for SIGINT and SIGTERM between start and stop. */
export interface StopSignals {
  start(): void;
  stop(): void;
}

export function createStopSignals({ signals, now, onStop, exitNow }: StopSignalsDeps): StopSignals {
  let firstAtMs: number | undefined;

  function handle(reason: StopReason): void {
    if (firstAtMs === undefined) {
      firstAtMs = now();
      onStop(reason);
    } else if (now() - firstAtMs >= SAME_SIGNAL_MS) {
      exitNow(stopExitCode(reason));
    }
  }

  const onInterrupt = (): void => {
    handle("interrupted");
  };
  const onTerminate = (): void => {
    handle("terminated");
  };

  function stop(): void {
    signals.off("SIGINT", onInterrupt);
    signals.off("SIGTERM", onTerminate);
  }

  return {
    start() {
      stop();
      signals.on("SIGINT", onInterrupt);
      signals.on("SIGTERM", onTerminate);
    },
    stop,
  };
}

/** What a process that was stopped so exits with. */
export function stopExitCode(reason: StopReason): typeof EXIT.interrupted | typeof EXIT.terminated {
  return reason === "interrupted" ? EXIT.interrupted : EXIT.terminated;
}

/** Runs a command's work with a signal that SIGINT and SIGTERM abort, its reason the exit code. */
export async function withStopSignal<T>(
  io: Pick<StopSignalsDeps, "signals" | "now" | "exitNow">,
  work: (stopSignal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stopping = new AbortController();
  const onStop = (reason: StopReason): void => stopping.abort(stopExitCode(reason));
  const stopSignals = createStopSignals({ ...io, onStop });
  stopSignals.start();
  try {
    return await work(stopping.signal);
  } finally {
    stopSignals.stop();
  }
}
