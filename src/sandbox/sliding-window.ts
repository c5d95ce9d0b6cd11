/** Counts events in the window that ends with the newest of them. */
export interface SlidingWindow {
  /** Adds an event; times in ms must not go back. Gives how many lie in [atMs - windowMs, atMs]. */
  add(atMs: number): number;
  /** How many lie in [atMs - windowMs, atMs]. */
  countAt(atMs: number): number;
  /** Time of the oldest event of that window, undefined when there is none. */
  oldestMs(): number | undefined;
}

const FIRST_CAPACITY = 64;

/**
 * A window closed at both ends over a ring that holds only the events inside it. The fullest window of
 * any stream ends at one of its events, so the largest value that `add` ever gave is exact.
 */
export function createSlidingWindow(windowMs: number): SlidingWindow {
  let times = new Float64Array(FIRST_CAPACITY);
  let head = 0;
  let count = 0;

  const at = (index: number): number => times[(head + index) % times.length] ?? 0;

  function grow(): void {
    const larger = new Float64Array(times.length * 2);
    for (let index = 0; index < count; index += 1) {
      larger[index] = at(index);
    }
    times = larger;
    head = 0;
  }

  function countAt(atMs: number): number {
    while (count > 0 && at(0) < atMs - windowMs) {
      head = (head + 1) % times.length;
      count -= 1;
    }
    return count;
  }

  function add(atMs: number): number {
    countAt(atMs);
    if (count === times.length) {
      grow();
    }
    times[(head + count) % times.length] = atMs;
    count += 1;
    return count;
  }

  return { add, countAt, oldestMs: () => (count === 0 ? undefined : at(0)) };
}
