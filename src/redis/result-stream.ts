import type { RedisClient } from "./connect.ts";
import { runKeys } from "./keys.ts";
import { loadScript } from "./script.ts";

/** An outcome that waits for the journal. */
export interface StreamedOutcome {
  readonly streamId: string;
  readonly json: string;
}

/** The outcomes of one run on their way to its journal. */
export interface ResultStream {
  /** The oldest outcomes; waits up to `blockMs` for the first. */
  read(maxCount: number, blockMs: number): Promise<readonly StreamedOutcome[]>;
  /** Removes what has been read, once it is safe elsewhere. */
  trim(read: readonly StreamedOutcome[]): Promise<void>;
}

/** @param blocking a connection of its own: nothing else can use it while it waits */
export function createResultStream(
  client: RedisClient,
  blocking: RedisClient,
  runId: string,
): ResultStream {
  const keys = runKeys(runId);
  const trimScript = loadScript(client, "trim-results");

  return {
    async read(maxCount, blockMs) {
      const reply = await blocking.xread(
        "COUNT",
        maxCount,
        "BLOCK",
        blockMs,
        "STREAMS",
        keys.results,
        "0",
      );
      const entries = reply?.[0]?.[1] ?? [];
      return entries.map(([streamId, fields]) => ({ streamId, json: fields[1] ?? "" }));
    },
    async trim(read) {
      const last = read.at(-1);
      if (last === undefined) return;
      const sizeBytes = read.reduce((sum, { json }) => sum + Buffer.byteLength(json), 0);
      await trimScript([keys.results, keys.private], [streamIdAfter(last.streamId), sizeBytes]);
    },
  };
}

function streamIdAfter(streamId: string): string {
  const [ms, sequence] = streamId.split("-");
  return `${ms}-${BigInt(sequence ?? "0") + 1n}`;
}
