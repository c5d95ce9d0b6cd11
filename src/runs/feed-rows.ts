import { setTimeout as delay } from "node:timers/promises";
import type { SubmitJob, TrackJob } from "../core/job.ts";
import type { RowReply } from "../core/journal.ts";
import type { Ledger, LedgerState } from "../redis/ledger.ts";
import { createTrackJob } from "../steps/track.ts";
import type { EarlierAnswers } from "./earlier-answers.ts";
import { reuseAnswers } from "./reuse-answers.ts";
import type { InputPlan, InputScan, PlannedRow } from "./scan-input.ts";
import { planRows } from "./scan-input.ts";

/** What feeding a run needs of its queues. */
interface FeedQueues {
  addSubmits(jobs: readonly SubmitJob[]): Promise<void>;
  addTrack(job: TrackJob, delayMs: number): Promise<void>;
  countWaitingSubmits(): Promise<number>;
}

export interface FeedDeps {
  readonly plan: InputPlan;
  readonly scan: InputScan;
  readonly ledger: Ledger;
  /** Row -> the answer that is sent instead of its message. */
  readonly replies: ReadonlyMap<number, RowReply>;
  readonly queues: FeedQueues;
  /** At most so many rows wait in Redis. */
  readonly windowRows: number;
  /** What rows take instead of being sent. */
  readonly earlier: EarlierAnswers;
  /** Called when outcomes wait for somebody to collect them. */
  readonly onBacklog: () => void;
}

const CHUNK_ROWS = 500;
const FULL_WAIT_MS = 200;

type MessageRow = Extract<PlannedRow, { kind: "message" }>;

/**
 * Puts every row that has no outcome yet into the queue it belongs in. Adding is idempotent, so the
 * same walk begins a run, goes on with one, and repairs one whose Redis lost its last second.
 */
export async function feedRows(deps: FeedDeps, signal: AbortSignal): Promise<void> {
  let chunk: MessageRow[] = [];
  for await (const batch of planRows(deps.plan, signal)) {
    for (const row of batch) {
      if (row.kind === "message" && row.firstRow === row.record.row) chunk.push(row);
    }
    while (chunk.length >= CHUNK_ROWS) {
      await feedChunk(deps, chunk.slice(0, CHUNK_ROWS), signal);
      chunk = chunk.slice(CHUNK_ROWS);
    }
  }
  await feedChunk(deps, chunk, signal);
}

async function feedChunk(
  deps: FeedDeps,
  rows: readonly MessageRow[],
  signal: AbortSignal,
): Promise<void> {
  signal.throwIfAborted();
  await waitForRoom(deps, rows.length, signal);
  const states = await deps.ledger.states(rows.map(({ record }) => record.row));
  const reused = await reuse(deps, { rows, states }, signal);
  const submits: SubmitJob[] = [];
  for (const [index, { record, text }] of rows.entries()) {
    const state = states[index] ?? { kind: "unsent" };
    const { row } = record;
    if (state.kind === "open") await deps.queues.addTrack(createTrackJob(state.entry, text, 0), 0);
    if (reused.has(row)) continue;
    if (state.kind === "unsent") submits.push(submitJob(deps, { row, text, tryGroup: 0 }));
    if (state.kind === "intent") {
      submits.push(submitJob(deps, { row, text, tryGroup: state.tryGroup }));
    }
  }
  if (submits.length > 0) await deps.queues.addSubmits(submits);
}

function submitJob(
  deps: FeedDeps,
  { text, ...sent }: { readonly row: number; readonly text: string; readonly tryGroup: number },
): SubmitJob {
  const weight = deps.scan.weights.get(sent.row) ?? 1;
  const reply = deps.replies.get(sent.row);
  const job = { ...sent, weight, spent: [] };
  if (reply === undefined) return { ...job, text, sends: sent.tryGroup % 2 };
  return { ...job, text: reply.text, answers: taskOf(reply), sends: 0 };
}

/** What was sent once, or is sent again on purpose, takes no answer of an earlier run. */
function reuse(
  deps: FeedDeps,
  chunk: { readonly rows: readonly MessageRow[]; readonly states: readonly LedgerState[] },
  signal: AbortSignal,
): Promise<ReadonlySet<number>> {
  const unsent = chunk.rows
    .map(({ record, text }) => ({ row: record.row, text }))
    .filter(({ row }, index) => chunk.states[index]?.kind === "unsent" && !deps.replies.has(row));
  return reuseAnswers({ ...deps, weights: deps.scan.weights }, unsent, signal);
}

function taskOf({ taskId, contextId }: RowReply): NonNullable<SubmitJob["answers"]> {
  return { taskId, contextId };
}

async function waitForRoom(deps: FeedDeps, rows: number, signal: AbortSignal): Promise<void> {
  const room = Math.max(0, deps.windowRows - rows);
  while ((await deps.queues.countWaitingSubmits()) > room) {
    await delay(FULL_WAIT_MS, undefined, { signal });
  }
}
