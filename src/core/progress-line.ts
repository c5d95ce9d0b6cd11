import { describeDuration } from "./duration.ts";
import type { RunStatus, StatusReason } from "./progress.ts";

/** What can be told about a run at one moment, known without asking Redis. */
export interface ProgressSnapshot {
  readonly runId: string;
  readonly status: RunStatus;
  readonly statusReason: StatusReason;
  /** Rows; `total` is 0 until the file was read. */
  readonly total: number;
  readonly pending: number;
  readonly open: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly needsInput: number;
  readonly unprocessed: number;
  /** SendMessage calls per second as measured lately, and what is allowed. */
  readonly sendPerSecond: number;
  readonly sendLimit: number;
  /** Absent while the agent answers. ms since the epoch. */
  readonly agentDownSinceMs?: number;
  readonly nextTryAtMs?: number;
  readonly nowMs: number;
  readonly redisAway: boolean;
}

/** How many rows were settled at one moment. */
export interface ProgressSample {
  readonly atMs: number;
  readonly settled: number;
}

/** Rows that have their outcome. */
export function settledCount(snapshot: ProgressSnapshot): number {
  return snapshot.succeeded + snapshot.failed + snapshot.needsInput + snapshot.unprocessed;
}

/** Settled rows in whole percent, rounded down; 100 only when nothing is left, 0 while the total is unknown. */
export function percentSettled(snapshot: ProgressSnapshot): number {
  return snapshot.total === 0 ? 0 : Math.floor((100 * settledCount(snapshot)) / snapshot.total);
}

/** Time left at the pace since `earlier`, in ms; undefined while nothing can be said. */
export function estimateLeftMs(
  snapshot: ProgressSnapshot,
  earlier: ProgressSample,
): number | undefined {
  const settled = settledCount(snapshot) - earlier.settled;
  const tookMs = snapshot.nowMs - earlier.atMs;
  if (settled <= 0 || tookMs <= 0) return undefined;
  return ((snapshot.total - settledCount(snapshot)) * tookMs) / settled;
}

/** What the edge knows and the snapshot does not. */
export interface LineContext {
  /** Time left in ms, where it can be told. */
  readonly leftMs: number | undefined;
  /** A moment (ms since the epoch) as people read it. */
  readonly clock: (atMs: number) => string;
}

/** The one line of a terminal, cut to `columns`. */
export function renderTerminalLine(
  snapshot: ProgressSnapshot,
  context: LineContext & { readonly columns: number },
): string {
  const line = [
    `${count(settledCount(snapshot))}/${count(snapshot.total)}`,
    `${percentSettled(snapshot)} %`,
    ...countsOf(snapshot),
    ...situation(snapshot, context),
  ].join("  ");
  return line.length <= context.columns ? line : `${line.slice(0, context.columns - 1)}…`;
}

/** A line that stands for itself in a log. */
export function renderPlainLine(snapshot: ProgressSnapshot, context: LineContext): string {
  const done = `${count(settledCount(snapshot))} of ${count(snapshot.total)} rows (${percentSettled(snapshot)} %)`;
  return `${snapshot.runId}: ${[done, ...countsOf(snapshot), ...situation(snapshot, context)].join(", ")}`;
}

/** The same as one JSON object, times in ISO 8601 UTC. */
export function toProgressEvent(
  snapshot: ProgressSnapshot,
  leftMs: number | undefined,
): Readonly<Record<string, unknown>> {
  const { nowMs, agentDownSinceMs, nextTryAtMs, ...rest } = snapshot;
  return {
    type: "progress",
    at: iso(nowMs),
    ...rest,
    percent: percentSettled(snapshot),
    leftMs: leftMs === undefined ? undefined : Math.round(leftMs),
    agentDownSince: iso(agentDownSinceMs),
    nextTryAt: iso(nextTryAtMs),
  };
}

/** How a run ended, or where it stands, for the block at the end. */
export interface RunSummary {
  readonly snapshot: ProgressSnapshot;
  /** Rows with an answer of an earlier run. */
  readonly reused: number;
  readonly tookMs: number;
  /** `onboard_reason` -> rows. */
  readonly failuresByReason: Readonly<Record<string, number>>;
  /** Files that exist, in the order of showing. */
  readonly files: readonly { readonly name: string; readonly path: string }[];
  /** What to type next, each with what it is for. */
  readonly next: readonly { readonly purpose: string; readonly command: string }[];
}

/** The block at the end, lines without a last newline. */
export function renderSummary(summary: RunSummary): string {
  const { snapshot, failuresByReason } = summary;
  const reasons = Object.entries(failuresByReason)
    .toSorted(([, a], [, b]) => b - a)
    .map(([reason, rows]) => `${reason} ${count(rows)}`);
  return [
    `Run ${snapshot.runId} ${describeStatus(snapshot)}`,
    `  ${count(snapshot.total)} rows: ${[...countsOf(snapshot), ...restOf(snapshot)].join(", ")}`,
    ...(summary.reused === 0 ? [] : [`  ${describeReused(summary.reused)}`]),
    ...(reasons.length === 0 ? [] : [`  failed: ${reasons.join(", ")}`]),
    `  took ${describeDuration(summary.tookMs)}`,
    ...section(
      "Files",
      summary.files.map(({ name, path }) => [name, path]),
    ),
    ...section(
      "Next",
      summary.next.map(({ purpose, command }) => [purpose, command]),
    ),
  ].join("\n");
}

/** `1,990 rows with answers of earlier runs, no call made for them` */
export function describeReused(rows: number): string {
  if (rows === 1) return "1 row with an answer of an earlier run, no call made for it";
  return `${count(rows)} rows with answers of earlier runs, no call made for them`;
}

const STATUS_WORDS: Readonly<Record<RunStatus, string>> = {
  ingesting: "is still being read in",
  running: "is not finished",
  paused: "is paused",
  stopping: "is stopping",
  completed: "is completed",
  canceled: "was canceled",
  stopped: "was stopped",
};

const REASON_WORDS: Readonly<Record<StatusReason, string>> = {
  "": "",
  credentials: ": the agent refused the credentials",
  "agent-down": ": the agent stayed away",
  operator: " by an operator",
  "max-failures": ": too many rows failed",
  "max-duration": ": its time was up",
  refused: ": the agent refused the first rows, all of them",
};

/** `was stopped: too many rows failed` */
export function describeStatus(run: Pick<ProgressSnapshot, "status" | "statusReason">): string {
  return `${STATUS_WORDS[run.status]}${REASON_WORDS[run.statusReason]}`;
}

function section(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([label]) => label.length));
  const lines = rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`);
  return lines.length === 0 ? [] : ["", `${title}:`, ...lines];
}

function countsOf(snapshot: ProgressSnapshot): readonly string[] {
  const counts: readonly (readonly [number, string])[] = [
    [snapshot.needsInput, "need input"],
    [snapshot.unprocessed, "unprocessed"],
  ];
  return [
    `${count(snapshot.succeeded)} succeeded`,
    `${count(snapshot.failed)} failed`,
    ...counts.filter(([rows]) => rows > 0).map(([rows, what]) => `${count(rows)} ${what}`),
  ];
}

function restOf({ pending, open }: ProgressSnapshot): readonly string[] {
  return pending + open === 0 ? [] : [`${count(pending + open)} not finished`];
}

/** What goes on: troubles first, for then rate and time left mean nothing. */
function situation(snapshot: ProgressSnapshot, context: LineContext): readonly string[] {
  if (snapshot.redisAway) return ["Redis is away, waiting for it"];
  if (snapshot.agentDownSinceMs !== undefined) {
    return [`agent down since ${context.clock(snapshot.agentDownSinceMs)}${nextTry(snapshot)}`];
  }
  if (snapshot.status === "paused") return ["paused"];
  const pace = `${perSecond(snapshot.sendPerSecond)} of ${perSecond(snapshot.sendLimit)} calls/s`;
  return context.leftMs === undefined ? [pace] : [pace, `${describeDuration(context.leftMs)} left`];
}

function nextTry({ nextTryAtMs, nowMs }: ProgressSnapshot): string {
  return nextTryAtMs === undefined ? "" : `, next try in ${describeDuration(nextTryAtMs - nowMs)}`;
}

function perSecond(rate: number): string {
  return rate < 10 ? String(Math.round(rate * 10) / 10) : count(Math.round(rate));
}

function count(rows: number): string {
  return rows.toLocaleString("en-US");
}

function iso(atMs: number | undefined): string | undefined {
  return atMs === undefined ? undefined : new Date(atMs).toISOString();
}
