import type { ExitCode } from "../core/exit-code.ts";
import { exitCodeOfSignal } from "../runs/session.ts";
import type { CommandContext } from "./command.ts";
import { createStopSignals, stopExitCode } from "./signals.ts";

/**
 * Runs a command's work with a signal that SIGINT and SIGTERM abort, its reason the exit code; the
 * second one ends the process at once.
 */
export async function stoppable(
  { io, output }: CommandContext,
  work: (stopSignal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const stopping = new AbortController();
  const stopSignals = createStopSignals({
    ...io,
    onStop: (reason) => {
      output.say("Stopping: calls in flight are finished first; once more to stop at once.");
      stopping.abort(stopExitCode(reason));
    },
  });
  stopSignals.start();
  try {
    return await work(stopping.signal);
  } catch (error) {
    // What a stop interrupts has not failed.
    if (stopping.signal.aborted) return exitCodeOfSignal(stopping.signal);
    throw error;
  } finally {
    stopSignals.stop();
  }
}
