/**
 * Learns how long an agent's tasks take, so that the first question comes when the answer is
 * likely to be there: one poll a row instead of many, and no wait that nobody needs.
 */
export interface PollSchedule {
  /** When to ask first after a task was made, ms. */
  firstDelayMs(): number;
  /** When to ask again after a poll that found the task unfinished, ms. */
  nextDelayMs(ageMs: number, random: number): number;
  /**
   * Takes in a finished task.
   *
   * @param atMostMs its age when it was found finished
   * @param atLeastMs its age when it was last seen unfinished, 0 when never
   */
  learn(sample: { readonly atLeastMs: number; readonly atMostMs: number }): void;
}

const UNKNOWN_AGENT_FIRST_MS = 500;
const MEMORY = 64;
const QUANTILE = 0.7;
const MIN_DELAY_MS = 20;
const MAX_DELAY_MS = 30_000;
/** A task found finished at the first look may have been finished long before: look a little earlier next time. */
const EARLIER = 0.85;

/** A schedule that remembers the last 64 tasks. */
export function createPollSchedule(): PollSchedule {
  const samplesMs: number[] = [];
  let sortedMs: readonly number[] = [];
  let next = 0;

  return {
    firstDelayMs() {
      const rank = Math.floor((sortedMs.length - 1) * QUANTILE);
      return Math.round(Math.min(MAX_DELAY_MS, sortedMs[rank] ?? UNKNOWN_AGENT_FIRST_MS));
    },
    nextDelayMs(ageMs, random) {
      // Asking each time after a quarter of the age costs a few polls per doubling of the age.
      const spreadMs = Math.max(MIN_DELAY_MS, ageMs * 0.25) * (0.75 + random * 0.5);
      return Math.round(Math.min(MAX_DELAY_MS, spreadMs));
    },
    learn({ atLeastMs, atMostMs }) {
      samplesMs[next] = atLeastMs === 0 ? atMostMs * EARLIER : (atLeastMs + atMostMs) / 2;
      next = (next + 1) % MEMORY;
      sortedMs = samplesMs.toSorted((a, b) => a - b);
    },
  };
}
