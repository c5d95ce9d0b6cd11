import { EventEmitter } from "node:events";
import { Redis } from "ioredis";

/** A reading of a run's progress hash, as a dashboard would take it. */
export type ProgressReading = Readonly<Record<string, string>>;

/** Reads a run's progress hash at short intervals, with a client of its own. */
export interface ProgressWatch {
  /** Every reading so far in which the run existed. */
  readonly readings: readonly ProgressReading[];
  /** The first reading from now on for which the condition holds; rejects when it takes too long. */
  until(holds: (reading: ProgressReading) => boolean): Promise<ProgressReading>;
  stop(): void;
}

const EVERY_MS = 100;
const LIMIT_MS = 45_000;

/** Starts to watch; the run may begin later. Whoever starts it stops it. */
export function watchProgress(redisUrl: string, runId: string): ProgressWatch {
  const client = new Redis(redisUrl, {
    maxRetriesPerRequest: null,
    retryStrategy: () => EVERY_MS,
  });
  const readings: ProgressReading[] = [];
  const taken = new EventEmitter();
  taken.setMaxListeners(0);
  client.on("error", () => {
    // The Redis of some tests goes away.
  });
  let isReading = false;

  async function read(): Promise<void> {
    const reading = await client.hgetall(`onboard-batch:{${runId}}:progress`);
    if (Object.keys(reading).length === 0) return;
    readings.push(reading);
    taken.emit("reading", reading);
  }

  const timer = setInterval(() => {
    if (isReading) return;
    isReading = true;
    read()
      .catch(() => undefined)
      .finally(() => {
        isReading = false;
      });
  }, EVERY_MS);

  return {
    readings,
    until: (holds) =>
      new Promise((resolve, reject) => {
        const settle = (done: () => void): void => {
          clearTimeout(late);
          taken.off("reading", look);
          done();
        };
        const look = (reading: ProgressReading): void => {
          if (holds(reading)) settle(() => resolve(reading));
        };
        const late = setTimeout(() => {
          const last = JSON.stringify(readings.at(-1));
          settle(() => reject(new Error(`waited in vain; the last reading was ${last}`)));
        }, LIMIT_MS);
        taken.on("reading", look);
      }),
    stop: () => {
      clearInterval(timer);
      client.disconnect();
    },
  };
}

/** Rows that have an outcome. */
export function doneRows(reading: ProgressReading): number {
  return sum(reading, ["succeeded", "failed", "needsInput"]);
}

/** The two sides of the contract's equation; equal in every reading. */
export function identityOf(reading: ProgressReading): { readonly total: number; parts: number } {
  const parts = ["pending", "open", "succeeded", "failed", "needsInput", "unprocessed"];
  return { total: Number(reading["total"]), parts: sum(reading, parts) };
}

function sum(reading: ProgressReading, fields: readonly string[]): number {
  return fields.reduce((total, field) => total + Number(reading[field]), 0);
}
