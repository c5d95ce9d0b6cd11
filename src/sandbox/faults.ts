import { hashText, mixHash, toUnit } from "./hash.ts";
import type {
  EffectKind,
  EffectOf,
  FaultEffect,
  FaultMatch,
  FaultRule,
  RpcMethod,
} from "./options.ts";

/** The facts of one call that a rule can ask about. */
export interface FaultCall {
  readonly method: RpcMethod;
  /** The partner text of the message or of the task's message; empty for an unknown task. */
  readonly text: string;
  readonly textHash: number;
  /** Which call of the method about this message or task it is, 1-based. */
  readonly nth: number;
  /** Which call of the method it is, 1-based. */
  readonly index: number;
}

/** Faults that are themselves the answer. */
export type AnswerEffect = Extract<
  FaultEffect,
  { kind: "rpc-error" | "http" | "throttle" | "reset" | "hang" | "malformed" | "wrong-id" }
>;

/** Faults of the task, not of the call. */
export type TaskEffect = Exclude<FaultEffect, AnswerEffect | EffectOf<"slow">>;

/** What shall happen to a call. */
export interface FaultDecision {
  readonly delayMs: number;
  readonly answer: AnswerEffect | undefined;
  readonly task: readonly TaskEffect[];
}

type Test = (call: FaultCall) => boolean;

interface CompiledRule {
  readonly effect: FaultEffect;
  readonly tests: readonly Test[];
}

const NO_FAULT: FaultDecision = { delayMs: 0, answer: undefined, task: [] };

const TASK_KINDS = ["end", "message", "lose-task", "huge", "file", "url-part"] as const;
const TASK_EFFECTS: ReadonlySet<EffectKind> = new Set<EffectKind>(TASK_KINDS);

function isTaskEffect(effect: FaultEffect): effect is TaskEffect {
  return TASK_EFFECTS.has(effect.kind);
}

function countTests({ nth, from, to }: FaultMatch): Test[] {
  const tests: Test[] = [];
  if (nth !== undefined) {
    tests.push((call) => call.nth === nth);
  }
  if (from !== undefined) {
    tests.push((call) => call.index >= from);
  }
  if (to !== undefined) {
    tests.push((call) => call.index <= to);
  }
  return tests;
}

function textTests({ textIncludes, share }: FaultMatch, salt: number): Test[] {
  const tests: Test[] = [];
  if (textIncludes !== undefined) {
    tests.push((call) => call.text.includes(textIncludes));
  }
  if (share !== undefined) {
    tests.push((call) => toUnit(mixHash(call.textHash, salt)) < share);
  }
  return tests;
}

/** The rule's place in the list is its salt: two rules with a share hit independently of each other. */
function compileRule({ match, effect }: FaultRule, position: number): CompiledRule {
  const method = match.method ?? (isTaskEffect(effect) ? "SendMessage" : undefined);
  const methodTests: Test[] = method === undefined ? [] : [(call) => call.method === method];
  const salt = hashText(`rule ${position}`);
  return { effect, tests: [...methodTests, ...countTests(match), ...textTests(match, salt)] };
}

function combine(effects: readonly FaultEffect[]): FaultDecision {
  let delayMs = 0;
  let answer: AnswerEffect | undefined;
  const task: TaskEffect[] = [];
  for (const effect of effects) {
    if (effect.kind === "slow") {
      delayMs += effect.ms;
    } else if (isTaskEffect(effect)) {
      task.push(effect);
    } else {
      answer ??= effect;
    }
  }
  return { delayMs, answer, task };
}

/** Decides by the rules alone: the same calls in the same order meet the same faults. */
export function createFaultPlan(rules: readonly FaultRule[]): (call: FaultCall) => FaultDecision {
  const compiled = rules.map(compileRule);
  return (call) => {
    const hits = compiled.filter((rule) => rule.tests.every((test) => test(call)));
    return hits.length === 0 ? NO_FAULT : combine(hits.map((rule) => rule.effect));
  };
}
