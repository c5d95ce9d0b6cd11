import { setTimeout as delay } from "node:timers/promises";
import type { SubmitJob, TrackJob } from "../core/job.ts";
import type { RowReply } from "../core/journal.ts";
import type { Ledger } from "../redis/ledger.ts";
import { createTrackJob } from "../steps/track.ts";
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
  const submits: SubmitJob[] = [];
  for (const [index, { record, text }] of rows.entries()) {
    const state = states[index] ?? { kind: "unsent" };
    const { row } = record;
    if (state.kind === "open") await deps.queues.addTrack(createTrackJob(state.entry, text, 0), 0);
    if (state.kind !== "unsent" && state.kind !== "intent") continue;
    const tryGroup = state.kind === "intent" ? state.tryGroup : 0;
    const weight = deps.scan.weights.get(row) ?? 1;
    const reply = deps.replies.get(row);
    const job = { row, weight, tryGroup, spent: [] };
    if (reply === undefined) submits.push({ ...job, text, sends: tryGroup % 2 });
    else submits.push({ ...job, text: reply.text, answers: taskOf(reply), sends: 0 });
  }
  if (submits.length > 0) await deps.queues.addSubmits(submits);
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
