import { setTimeout as delay } from "node:timers/promises";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Log } from "../core/log.ts";
import type { OutputForm } from "../core/output-form.ts";
import type { RunSettings } from "../core/run-settings.ts";
import { createRunQueues } from "../queue/run-queues.ts";
import type { RedisHandle } from "../redis/connect.ts";
import { runPrefix } from "../redis/keys.ts";
import type { Lease } from "../redis/lease.ts";
import { tryLease } from "../redis/lease.ts";
import type { AnswerStore } from "./answer-store.ts";
import { endRun } from "./end-run.ts";
import type { HeldRun, OpenRunDeps } from "./open-run.ts";
import { beginRun, openRun } from "./open-run.ts";
import type { RunEnd } from "./run-context.ts";
import type { SessionEnd } from "./session.ts";
import { settleWhenDone } from "./settle.ts";

export interface HoldRunDeps {
  readonly redis: RedisHandle;
  readonly opening: OpenRunDeps;
  readonly log: Log;
  readonly form: OutputForm;
  /** Where the run's answers are kept for later runs. */
  readonly answers: AnswerStore;
  /** What to do when another living process holds the run. */
  readonly whenHeld: "refuse" | "wait";
}

/**
 * Holds a run's lease, so that no other process writes its files, works on it until the session
 * ends, and writes the outputs when it has settled.
 *
 * @throws OnboardError exit 6 when another living process holds the run, and what opening it throws
 */
export async function holdRun(
  deps: HoldRunDeps,
  settings: RunSettings,
  session: (run: HeldRun) => Promise<SessionEnd>,
): Promise<RunEnd> {
  const { redis, opening } = deps;
  const lease = await takeLease(deps, settings.runId);
  const queues = createRunQueues(redis.client, runPrefix(settings.runId));
  try {
    const run = await openRun(await beginRun(opening, settings));
    try {
      const isDone = await settleWhenDone({ record: run.record, queues });
      const leaseLost = lease.lost;
      const end = isDone
        ? ({ kind: "settled" } as const)
        : await session({ ...run, queues, leaseLost });
      const { form, answers } = deps;
      return await endRun({ ...run, form, answers, warn: opening.warn }, queues, end);
    } finally {
      await run.journal.close();
    }
  } finally {
    // Closing waits for Redis; without it the lease runs out by itself.
    if (!redis.isAway()) await Promise.all([queues.close(), lease.release()]);
  }
}

const WAIT_FOR_LEASE_MS = 1_000;

async function takeLease(
  { redis, opening, log, whenHeld }: HoldRunDeps,
  runId: string,
): Promise<Lease> {
  for (let tries = 0; ; tries += 1) {
    const tried = await tryLease(redis.client, runId, log);
    if (tried.kind === "taken") return tried.lease;
    const { pid, host } = tried.holder;
    const holds = `process ${pid} on ${host} works on run ${runId}`;
    if (whenHeld === "refuse") {
      const hint = `watch it with onboard-batch status ${runId}, or stop it there first`;
      throw new OnboardError(EXIT.held, holds, { hint });
    }
    if (tries === 0) opening.warn(`${holds}; waiting until it ends`);
    await delay(WAIT_FOR_LEASE_MS, undefined, { signal: opening.stopSignal });
  }
}
