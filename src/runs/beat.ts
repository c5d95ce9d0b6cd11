import type { RunRecord } from "../redis/run-record.ts";

const PERIOD_MS = 500;

/** A sign of life that fails is followed by the next one. */
function noSign(): void {}

/**
 * Shows that this process works on a run, for work that takes long and beside which nobody watches
 * the run.
 */
export async function whileBeating<T>(record: RunRecord, work: () => Promise<T>): Promise<T> {
  let beating: Promise<unknown> | undefined;
  function beat(): void {
    // While Redis is away, beats must not pile up.
    beating ??= record.heartbeat({ agent: "unknown" }).catch(noSign).finally(forgetBeat);
  }
  function forgetBeat(): void {
    beating = undefined;
  }
  const timer = setInterval(beat, PERIOD_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
