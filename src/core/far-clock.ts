/** A clock that can only be read over a connection, as seen from this process. */
export interface FarClock {
  /**
   * Takes in a reading.
   *
   * @param askedAtMs when it was asked for, on this process's own clock
   * @param answeredAtMs when the answer was there
   * @param farMs what the other clock showed in between
   */
  note(reading: { askedAtMs: number; answeredAtMs: number; farMs: number }): void;
  /** A moment of the other clock on this process's own. */
  toOwnMs(farMs: number): number;
  /** A moment of this process's own clock on the other. */
  toFarMs(ownMs: number): number;
}

/** Clocks drift apart: an old reading is replaced by a worse one. */
const TRUSTED_FOR_MS = 30_000;

/**
 * Trusts the reading that was answered fastest lately: the shorter the way, the less can be wrong with
 * the assumption that the other clock was read in the middle of it (RFC 5905 §8).
 *
 * @param guessedOffsetMs the other clock minus this process's own, until the first reading
 */
export function createFarClock(guessedOffsetMs: number): FarClock {
  let best = { roundTripMs: Number.POSITIVE_INFINITY, offsetMs: guessedOffsetMs, atMs: 0 };

  return {
    note({ askedAtMs, answeredAtMs, farMs }) {
      const roundTripMs = answeredAtMs - askedAtMs;
      const isOld = answeredAtMs - best.atMs > TRUSTED_FOR_MS;
      if (roundTripMs > best.roundTripMs && !isOld) return;
      best = { roundTripMs, offsetMs: farMs - (askedAtMs + answeredAtMs) / 2, atMs: answeredAtMs };
    },
    toOwnMs: (farMs) => farMs - best.offsetMs,
    toFarMs: (ownMs) => ownMs + best.offsetMs,
  };
}
