import type { RowOutcome } from "./outcome.ts";

/** A row as an example of many. */
export interface ExampleRow {
  readonly row: number;
  readonly line: number;
  /** Cut at 300 characters. */
  readonly message: string;
}

/** Rows of one reason. */
export interface ReasonStory {
  readonly reason: string;
  readonly count: number;
  /** The first five in input order. */
  readonly examples: readonly ExampleRow[];
}

/** Outcomes within one step of the timeline; duplicates and reused answers count for nothing. */
export interface TimeStep {
  readonly succeeded: number;
  readonly failed: number;
  readonly needsInput: number;
}

/** What a run's report tells beside its counters, in little memory however many rows there are. */
export interface RunStory {
  /** Most frequent first. */
  readonly reasons: readonly ReasonStory[];
  readonly questions: Omit<ReasonStory, "reason">;
  /** Rows that were answered after more than one try. */
  readonly repaired: Omit<ReasonStory, "reason">;
  readonly timeline: Timeline;
}

/** Outcomes by time; no steps when there are none. */
export interface Timeline {
  /** ms since the epoch. */
  readonly startMs: number;
  /** One minute or, for long runs, 2, 4, 8, … */
  readonly stepMs: number;
  readonly steps: readonly TimeStep[];
}

/** A row with what became of it. */
interface ToldRow {
  readonly row: number;
  readonly line: number;
  readonly ending: RowEnding;
}

export type RowEnding =
  /** A duplicate has the outcome of another row. */
  | { readonly kind: "outcome"; readonly outcome: RowOutcome; readonly isDuplicate: boolean }
  /** It failed when it was read. */
  | { readonly kind: "bad"; readonly reason: string; readonly message: string }
  | { readonly kind: "none" };

export interface StoryTeller {
  /** In input order. */
  add(row: ToldRow): void;
  story(): RunStory;
}

const MAX_EXAMPLES = 5;
const MAX_MESSAGE_LENGTH = 300;

/** Gathers what the report tells. */
export function createStoryTeller(): StoryTeller {
  const reasons = new Map<string, Gathered>();
  const questions = createGathered();
  const repaired = createGathered();
  const clock = createTimeline();

  function gatherReason(reason: string, row: ToldRow, message: string): void {
    let gathered = reasons.get(reason);
    if (gathered === undefined) reasons.set(reason, (gathered = createGathered()));
    gather(gathered, row, message);
  }

  function addOutcome(row: ToldRow, outcome: RowOutcome): void {
    switch (outcome.kind) {
      case "failed":
        gatherReason(outcome.reason, row, outcome.message);
        break;
      case "needs-input":
        gather(questions, row, outcome.question);
        break;
      case "succeeded":
        if (outcome.attempts > 1) gather(repaired, row, `answered at try ${outcome.attempts}`);
    }
  }

  return {
    add(row) {
      const { ending } = row;
      if (ending.kind === "none") return;
      if (ending.kind === "bad") {
        gatherReason(ending.reason, row, ending.message);
        return;
      }
      addOutcome(row, ending.outcome);
      if (isOfThisRun(ending)) clock.add(ending.outcome.finishedAtMs, ending.outcome.kind);
    },
    story: () => ({
      reasons: [...reasons]
        .map(([reason, { count, examples }]) => ({ reason, count, examples }))
        .toSorted((a, b) => b.count - a.count),
      questions,
      repaired,
      timeline: clock.timeline(),
    }),
  };
}

/** A duplicate has the time of another row, a reused answer one before the run. */
function isOfThisRun({ outcome, isDuplicate }: Extract<RowEnding, { kind: "outcome" }>): boolean {
  return !isDuplicate && (outcome.kind !== "succeeded" || outcome.reusedFrom === undefined);
}

interface Gathered {
  count: number;
  readonly examples: ExampleRow[];
}

function createGathered(): Gathered {
  return { count: 0, examples: [] };
}

function gather(gathered: Gathered, { row, line }: ToldRow, message: string): void {
  gathered.count += 1;
  if (gathered.examples.length < MAX_EXAMPLES) {
    gathered.examples.push({ row, line, message: shorten(message) });
  }
}

function shorten(message: string): string {
  if (message.length <= MAX_MESSAGE_LENGTH) return message;
  // A sign of two UTF-16 units is not cut in two.
  return `${message.slice(0, MAX_MESSAGE_LENGTH).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

const MINUTE_MS = 60_000;
/** As many as a picture can show; a run over weeks gets longer steps instead of more. */
const MAX_STEPS = 240;

interface OpenTimeline {
  add(atMs: number, kind: RowOutcome["kind"]): void;
  timeline(): Timeline;
}

function createTimeline(): OpenTimeline {
  let stepMs = MINUTE_MS;
  let steps = new Map<number, OpenStep>();
  let first = Number.POSITIVE_INFINITY;
  let last = Number.NEGATIVE_INFINITY;

  function stepAt(index: number): OpenStep {
    first = Math.min(first, index);
    last = Math.max(last, index);
    let step = steps.get(index);
    if (step === undefined) steps.set(index, (step = { ...NO_OUTCOMES }));
    return step;
  }

  function coarsen(): void {
    const finer = steps;
    stepMs *= 2;
    steps = new Map();
    first = Number.POSITIVE_INFINITY;
    last = Number.NEGATIVE_INFINITY;
    for (const [index, { succeeded, failed, needsInput }] of finer) {
      const step = stepAt(Math.floor(index / 2));
      step.succeeded += succeeded;
      step.failed += failed;
      step.needsInput += needsInput;
    }
  }

  return {
    add(atMs, kind) {
      stepAt(Math.floor(atMs / stepMs))[FIELD_OF[kind]] += 1;
      while (last - first >= MAX_STEPS) coarsen();
    },
    timeline() {
      if (steps.size === 0) return { startMs: 0, stepMs, steps: [] };
      const filled = Array.from(
        { length: last - first + 1 },
        (_, index) => steps.get(first + index) ?? NO_OUTCOMES,
      );
      return { startMs: first * stepMs, stepMs, steps: filled };
    },
  };
}

interface OpenStep {
  succeeded: number;
  failed: number;
  needsInput: number;
}

const NO_OUTCOMES: TimeStep = { succeeded: 0, failed: 0, needsInput: 0 };

const FIELD_OF = {
  succeeded: "succeeded",
  failed: "failed",
  "needs-input": "needsInput",
} as const satisfies Record<RowOutcome["kind"], keyof OpenStep>;
