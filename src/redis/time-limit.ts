/** Whether the work ended within its limit. Work that is late goes on, unobserved. */
export type WithinLimit<T> =
  | { readonly kind: "done"; readonly value: T }
  | { readonly kind: "late" };

/** Waits for `work`, but not longer than `limitMs`; leaves no timer behind. Rejects as `work` does. */
export async function withinLimit<T>(work: Promise<T>, limitMs: number): Promise<WithinLimit<T>> {
  const latch: { timer?: NodeJS.Timeout } = {};
  const late = new Promise<WithinLimit<T>>((resolve) => {
    latch.timer = setTimeout(() => resolve({ kind: "late" }), limitMs);
  });
  try {
    return await Promise.race([work.then((value) => ({ kind: "done" as const, value })), late]);
  } finally {
    clearTimeout(latch.timer);
  }
}
