import { setTimeout as delay } from "node:timers/promises";
import type { App } from "../app.ts";
import type { ExitCode } from "../core/exit-code.ts";
import { exitCodeOfSignal } from "../runs/session.ts";
import type { CommandContext } from "./command.ts";
import { createStopSignals, stopExitCode } from "./signals.ts";

/** How long Redis may be silent after a stop before it is ended without. */
const REDIS_PATIENCE_MS = 5_000;
const LOOK_EVERY_MS = 500;

/**
 * Runs a command's work with a signal that SIGINT and SIGTERM abort, its reason the exit code; the
 * second one ends the process at once. Closes the app at the end.
 */
export async function stoppable(
  context: CommandContext,
  app: App,
  work: (stopSignal: AbortSignal) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { io, output } = context;
  const stopping = new AbortController();
  const watching = new AbortController();
  const stopSignals = createStopSignals({
    ...io,
    onStop: (reason) => {
      output.say("Stopping: calls in flight are finished first; once more to stop at once.");
      stopping.abort(stopExitCode(reason));
      void endWithoutRedis(context, app, { stop: stopping.signal, done: watching.signal });
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
    await app.close();
    watching.abort();
    stopSignals.stop();
  }
}

/**
 * Closing waits for Redis, BullMQ's for ever: when it stays silent and no call is in flight any more,
 * the process ends without it. Answers are on this host's disk by then, locks and leases run out.
 */
async function endWithoutRedis(
  { io, output }: CommandContext,
  app: App,
  { stop, done }: { readonly stop: AbortSignal; readonly done: AbortSignal },
): Promise<void> {
  let silentSinceMs: number | undefined;
  while (!done.aborted) {
    const isSilent = (await app.isRedisLost()) && app.callsInFlight() === 0;
    silentSinceMs = isSilent ? (silentSinceMs ?? io.now()) : undefined;
    if (silentSinceMs !== undefined && io.now() - silentSinceMs >= REDIS_PATIENCE_MS) {
      output.say(
        "Redis does not answer: ended without it. The same command goes on when it is back.",
      );
      io.exitNow(exitCodeOfSignal(stop));
      return;
    }
    await delay(LOOK_EVERY_MS);
  }
}
