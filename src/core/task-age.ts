/** What the clock of a followed task shows. */
export interface TaskClock {
  /** Time in which somebody could ask the agent about the task, ms. */
  readonly ageMs: number;
  /** When the task was last asked about (or made), ms since the epoch. */
  readonly askedAtMs: number;
  /** How long after that it was meant to be asked again, ms. */
  readonly plannedDelayMs: number;
}

/** A poll may come a little late without anything being wrong. */
const LATENESS_MS = 1_000;

/**
 * The age that counts against `--task-timeout` at a poll: the time that was planned to pass, not
 * the time in which no process ran, Redis was away or the agent could not be reached.
 *
 * @param reachable whether the agent could be asked this time
 */
export function advanceTaskAge(clock: TaskClock, nowMs: number, reachable: boolean): number {
  if (!reachable) return clock.ageMs;
  const passedMs = Math.max(0, nowMs - clock.askedAtMs);
  return clock.ageMs + Math.min(passedMs, clock.plannedDelayMs + LATENESS_MS);
}
