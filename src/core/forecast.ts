interface Rates {
  readonly sendPerSecond: number;
  readonly pollPerSecond: number;
  readonly totalPerSecond?: number;
}

/** What a run would ask of the agent, at least: every message sent once, every task asked about once. */
export interface CallForecast {
  readonly sendMessage: number;
  readonly getTask: number;
  /** At the configured rates; the agent's own time is not in it. */
  readonly durationMs: number;
}

/** @param messages that are to be sent */
export function forecastCalls(messages: number, rates: Rates): CallForecast {
  const { sendPerSecond, pollPerSecond, totalPerSecond = Number.POSITIVE_INFINITY } = rates;
  const seconds = Math.max(
    messages / sendPerSecond,
    messages / pollPerSecond,
    (2 * messages) / totalPerSecond,
  );
  return { sendMessage: messages, getTask: messages, durationMs: Math.ceil(seconds * 1_000) };
}
