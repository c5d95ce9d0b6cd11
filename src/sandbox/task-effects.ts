import type { TaskEffect } from "./faults.ts";
import type { EffectOf } from "./options.ts";
import type { ExtraPart, TaskEnd } from "./task.ts";
import { COMPLETED, toWireState } from "./task.ts";

/** What the faults of a task make of it; the first of a kind wins, extra parts add up. */
export interface TaskFate {
  /** Undefined when no fault says how the task ends. */
  readonly end: TaskEnd | undefined;
  readonly message: EffectOf<"message"> | undefined;
  readonly isLost: boolean;
  readonly extras: readonly ExtraPart[];
}

const UNTOUCHED: TaskFate = { end: undefined, message: undefined, isLost: false, extras: [] };

function toTaskEnd({ state, text, resumeAfterMs }: EffectOf<"end">): TaskEnd {
  return {
    state: toWireState(state),
    ...(text === undefined ? {} : { text }),
    ...(resumeAfterMs === undefined ? {} : { resumeAfterMs }),
  };
}

function addEffect(fate: TaskFate, effect: TaskEffect): TaskFate {
  switch (effect.kind) {
    case "end":
      return { ...fate, end: fate.end ?? toTaskEnd(effect) };
    case "message":
      return { ...fate, message: fate.message ?? effect };
    case "lose-task":
      return { ...fate, isLost: true };
    case "huge":
    case "file":
    case "url-part":
      return { ...fate, extras: [...fate.extras, effect] };
  }
}

/** Sums up the faults of a task. */
export function combineEffects(effects: readonly TaskEffect[]): TaskFate {
  let fate = UNTOUCHED;
  for (const effect of effects) {
    fate = addEffect(fate, effect);
  }
  return fate;
}

/** How a task with that fate ends. */
export function endOf(fate: TaskFate): TaskEnd {
  return fate.end ?? COMPLETED;
}
