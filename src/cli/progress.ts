import type { ProgressMode } from "../config/schema.ts";
import {
  estimateLeftMs,
  type ProgressSample,
  type ProgressSnapshot,
  percentSettled,
  type RunSummary,
  renderPlainLine,
  renderSummary,
  renderTerminalLine,
  settledCount,
  toProgressEvent,
} from "../core/progress-line.ts";
import type { Output } from "./output.ts";

/** Ten pictures a second look alive; more only cost. */
const TERMINAL_TICK_MS = 100;
const PLAIN_TICK_MS = 1_000;
const PLAIN_LINE_EVERY_MS = 30_000;
/** The pace is taken over so long, so that one slow answer does not move the time left. */
const PACE_WINDOW_MS = 60_000;

export type ShownProgress = Exclude<ProgressMode, "auto">;

export interface ProgressReporterDeps {
  readonly output: Output;
  readonly mode: ShownProgress;
  /** Asked at each tick; must know without asking Redis. */
  readonly snapshot: () => ProgressSnapshot;
  /** Width of the terminal at the moment. */
  readonly columns: () => number;
}

/** Shows a run's progress on stderr between start and stop. */
export interface ProgressReporter {
  start(): void;
  /** Takes the line away and shows the last state; may be called twice. */
  stop(): void;
}

/** `auto` is `tty` on a terminal that can move its cursor and `plain` anywhere else. */
export function chooseProgress(
  mode: ProgressMode,
  place: { stderrIsTerminal: boolean; quiet: boolean; isCi: boolean },
): ShownProgress {
  if (place.quiet) return "none";
  if (mode !== "auto") return mode;
  return place.stderrIsTerminal && !place.isCi ? "tty" : "plain";
}

/** Driven by a timer, so that it goes on while Redis or the agent is away. */
export function createProgressReporter(deps: ProgressReporterDeps): ProgressReporter {
  const pace = createPace();
  const show = deps.mode === "tty" ? terminalShow(deps) : lineShow(deps);
  let timer: NodeJS.Timeout | undefined;

  function tick(moment: Moment): void {
    const snapshot = deps.snapshot();
    show(snapshot, pace(snapshot), moment);
  }

  return {
    start() {
      if (timer !== undefined || deps.mode === "none") return;
      timer = setInterval(tick, deps.mode === "tty" ? TERMINAL_TICK_MS : PLAIN_TICK_MS, "going-on");
      tick("begin");
    },
    stop() {
      if (timer === undefined) return;
      clearInterval(timer);
      timer = undefined;
      tick("end");
    },
  };
}

/** Shows the block at the end: always with failures, and without them unless `--quiet`. */
export function showSummary(output: Output, summary: RunSummary): void {
  output.say(renderSummary(summary));
}

type Moment = "begin" | "going-on" | "end";
type Show = (snapshot: ProgressSnapshot, leftMs: number | undefined, moment: Moment) => void;

function terminalShow({ output, columns }: ProgressReporterDeps): Show {
  return (snapshot, leftMs, moment) => {
    const context = { leftMs, clock: localClock, columns: columns() - 1 };
    output.status(moment === "end" ? "" : renderTerminalLine(snapshot, context));
  };
}

/** A line at the begin, at each tenth, every 30 s and at the end if anything happened since. */
function lineShow({ output, mode }: ProgressReporterDeps): Show {
  let shown:
    | { readonly atMs: number; readonly settled: number; readonly tenth: number }
    | undefined;
  return (snapshot, leftMs, moment) => {
    const now = {
      atMs: snapshot.nowMs,
      settled: settledCount(snapshot),
      tenth: Math.floor(percentSettled(snapshot) / 10),
    };
    const isDue =
      shown === undefined ||
      now.tenth !== shown.tenth ||
      now.atMs - shown.atMs >= PLAIN_LINE_EVERY_MS ||
      (moment === "end" && now.settled !== shown.settled);
    if (!isDue) return;
    shown = now;
    if (mode === "json") output.jsonLine(toProgressEvent(snapshot, leftMs));
    else output.say(renderPlainLine(snapshot, { leftMs, clock: localClock }));
  };
}

/** Time left at the pace of the last minute. */
function createPace(): (snapshot: ProgressSnapshot) => number | undefined {
  const samples: ProgressSample[] = [];
  return (snapshot) => {
    const latest = samples.at(-1);
    if (latest === undefined || snapshot.nowMs - latest.atMs >= 1_000) {
      samples.push({ atMs: snapshot.nowMs, settled: settledCount(snapshot) });
    }
    const [, second] = samples;
    if (second !== undefined && snapshot.nowMs - second.atMs >= PACE_WINDOW_MS) samples.shift();
    const [oldest] = samples;
    return oldest === undefined ? undefined : estimateLeftMs(snapshot, oldest);
  };
}

/** `22:14:03` in the time zone of whoever looks. */
function localClock(atMs: number): string {
  return new Date(atMs).toTimeString().slice(0, 8);
}
