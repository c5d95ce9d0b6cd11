const BASE_MS = 500;
const CAP_MS = 30_000;

/**
 * Full-jitter back-off: a random wait between nothing and a bound that doubles with each try.
 *
 * @param triesMade how many tries have failed, at least 1
 * @param random a number in [0, 1)
 * @returns ms, at most 30 s
 */
export function computeBackOffMs(triesMade: number, random: number): number {
  const boundMs = Math.min(CAP_MS, BASE_MS * 2 ** Math.min(triesMade - 1, 16));
  return Math.round(random * boundMs);
}
