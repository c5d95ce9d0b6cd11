import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { RunStatus } from "../core/progress.ts";
import { isSettled } from "../core/progress.ts";
import { computeRunId, newestOfFamily, nextInFamily } from "../core/run-id.ts";

/** A run that is known from the disk or from Redis. */
export interface KnownRun {
  readonly runId: string;
  readonly sha256: string;
  /** Hash of all that changes answers; empty when only a summary is left of the run. */
  readonly identity: string;
  readonly status: RunStatus;
}

/** What was asked for. */
export interface RunWish {
  /** Base name of the input. */
  readonly file: string;
  readonly sha256: string;
  readonly identity: string;
  readonly runId: string | undefined;
  readonly fresh: boolean;
}

/** Which run a command means. */
export type RunChoice =
  | { readonly kind: "begin"; readonly runId: string }
  | { readonly kind: "continue"; readonly runId: string }
  | { readonly kind: "settled"; readonly runId: string };

/**
 * Chooses the run of a wish: the newest of its family, the next one with `--fresh`, a new one when
 * there is none.
 *
 * @throws OnboardError exit 2 when the id belongs to other bytes or other settings, or when the same
 * bytes are under way with other settings
 */
export function chooseRun(wish: RunWish, known: readonly KnownRun[]): RunChoice {
  const baseId = wish.runId ?? computeRunId(wish.file, wish.identity);
  const newestId = newestOfFamily(
    baseId,
    known.map(({ runId }) => runId),
  );
  const newest = known.find(({ runId }) => runId === newestId);
  if (wish.fresh) return { kind: "begin", runId: nextInFamily(baseId, newestId) };
  if (newest === undefined) {
    if (wish.runId === undefined) refuseSecondRunOfSameBytes(wish, known);
    return { kind: "begin", runId: baseId };
  }
  refuseOtherContent(wish, newest);
  return { kind: isSettled(newest.status) ? "settled" : "continue", runId: newest.runId };
}

function refuseOtherContent(wish: RunWish, run: KnownRun): void {
  if (run.sha256 !== wish.sha256) {
    throw new OnboardError(EXIT.usage, `run ${run.runId} was begun with another file`, {
      hint: "give another --run-id, or --fresh for a new run beside it",
    });
  }
  if (run.identity === "" || run.identity === wish.identity) return;
  throw new OnboardError(
    EXIT.usage,
    `run ${run.runId} was begun with other settings (agent, message template, reading, mapping, --dedupe or --limit)`,
    { hint: "give another --run-id, or --fresh for a new run beside it" },
  );
}

function refuseSecondRunOfSameBytes(wish: RunWish, known: readonly KnownRun[]): void {
  const other = known.find(({ sha256, status }) => sha256 === wish.sha256 && !isSettled(status));
  if (other === undefined) return;
  if (other.identity === wish.identity) {
    throw new OnboardError(
      EXIT.usage,
      `run ${other.runId} of the same file with the same settings is not finished`,
      { hint: `go on with it by --run-id ${other.runId}, or begin another run with --fresh` },
    );
  }
  throw new OnboardError(
    EXIT.usage,
    `run ${other.runId} of the same file is not finished, and was begun with other settings (agent, message template, reading, mapping, --dedupe or --limit)`,
    {
      hint: "take its settings to go on with it, or begin another run with --run-id <id> or --fresh",
    },
  );
}
