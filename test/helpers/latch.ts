/** Something to wait for that happens once. */
export interface Latch<T> {
  readonly opened: Promise<T>;
  /** A second time changes nothing. */
  readonly open: (value: T) => void;
}

export function createLatch<T = void>(): Latch<T> {
  const opening: { resolve?: (value: T) => void } = {};
  const opened = new Promise<T>((resolve) => {
    opening.resolve = resolve;
  });
  return { opened, open: (value) => opening.resolve?.(value) };
}
