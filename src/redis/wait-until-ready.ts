import type { Cluster, Redis } from "ioredis";
import { computeRefusal, type Meeting, unanswered } from "./connection-refusal.ts";
import { findTrouble } from "./knock.ts";

/**
 * Resolves when the connection is usable for the first time.
 * @throws OnboardError exit 2 at once for what waiting does not mend, exit 5 when the time is over
 */
export async function waitUntilReady(client: Redis | Cluster, meeting: Meeting): Promise<void> {
  const { topology, waitMs } = meeting;
  let lastError: unknown;
  let looking: Promise<void> | undefined;
  await new Promise<void>((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      client.off("ready", onReady).off("error", onError).off("reconnecting", onAgain);
      settle();
    };
    const onReady = (): void => finish(resolve);
    const take = (error: unknown): void => {
      if (error === undefined) return;
      lastError = error;
      const refusal = computeRefusal(error, meeting);
      if (refusal !== undefined) finish(() => reject(refusal));
    };
    const look = async (told: unknown): Promise<void> => {
      take((await findTrouble(topology)) ?? told);
      looking = undefined;
    };
    const onError = (error: unknown): void => {
      if (topology.kind === "single") take(error);
      else looking ??= look(error);
    };
    // A Cluster that is not whole tells no error at all.
    const onAgain = (): void => {
      if (topology.kind !== "single") looking ??= look(undefined);
    };
    const timer = setTimeout(() => finish(() => reject(unanswered(meeting, lastError))), waitMs);
    client.on("ready", onReady).on("error", onError).on("reconnecting", onAgain);
  });
}
