import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";

/** How many cases a property is tried with, and which. */
export interface Campaign {
  readonly cases: number;
  readonly seed?: number;
  /** Of one case, as a failure printed it. */
  readonly path?: string;
}

/** One case of a property: its data, and a folder that the next case uses too. */
export type CaseCheck<T> = (data: T, dir: string) => Promise<void>;

/** CPU time of one case. Other people's load is not counted, so that only the case itself can exceed it. */
const CASE_LIMIT_MS = 5_000;
/** What all cases together may leave in the heap. */
const LEFT_LIMIT_BYTES = 48 * 1_024 ** 2;

/**
 * Tries a property with many cases, each within a time limit and all of them without leaving memory behind.
 * A failure is made as small as possible and tells `seed` and `path`.
 */
export async function expectAlways<T>(
  data: fc.Arbitrary<T>,
  check: CaseCheck<T>,
  campaign: Campaign,
): Promise<void> {
  const dir = await mkdtemp(path.join(tmpdir(), "onboard-batch-fuzz-"));
  const { cases, seed, path: place } = campaign;
  let count = 0;
  let heapBytes = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(data, async (one) => {
    const before = process.cpuUsage();
    await check(one, dir);
    const { user, system } = process.cpuUsage(before);
    const tookMs = (user + system) / 1_000;
    if (tookMs > CASE_LIMIT_MS) throw new Error(`took ${Math.round(tookMs)} ms of CPU time`);
    count += 1;
    // Code that is compiled late and caches that fill are no leak.
    if (count === Math.ceil(cases / 5)) heapBytes = heapAfterGc();
  });
  try {
    await fc.assert(property, {
      numRuns: cases,
      ...(seed === undefined ? {} : { seed }),
      ...(place === undefined ? {} : { path: place }),
    });
    const leftBytes = heapAfterGc() - heapBytes;
    if (leftBytes > LEFT_LIMIT_BYTES) throw new Error(`${cases} cases left ${leftBytes} bytes`);
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

function heapAfterGc(): number {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as () => void;
  gc();
  return process.memoryUsage().heapUsed;
}
