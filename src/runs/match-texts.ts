import { createContext, Script } from "node:vm";
import { parseOwnJson } from "../core/own-json.ts";
import { PATTERN_FLAGS } from "../core/result-columns.ts";

/** The named groups of a match; undefined for a text that does not match. */
export type Groups = Readonly<Record<string, string>> | undefined;

/** Matches one pattern against many texts, in bounded time. */
export interface TextMatcher {
  match(texts: readonly string[]): readonly Groups[];
  /** Whether too many texts took too long, so that the pattern is not tried any more. */
  hasGivenUp(): boolean;
}

const TIME_LIMIT_MS = 1_000;
const MAX_SLOW_TEXTS = 3;

/** JSON, because what is made in the other context has other classes. */
const SCRIPT = new Script(
  "JSON.stringify(texts.map((text) => pattern.exec(text)?.groups ?? null))",
);

/**
 * Texts come from the agent, and a pattern can take years for one of them (catastrophic backtracking).
 * Nothing in JavaScript ends a match, but V8 ends a script after a time limit, also within a match. To begin a
 * limited script takes about 0.3 ms, a usual match 3 µs: so one script matches many texts, and only when it takes too
 * long each text has its own. The context keeps nobody out: patterns are the operator's own.
 */
export function createTextMatcher(pattern: string, limitMs = TIME_LIMIT_MS): TextMatcher {
  const context = createContext({ pattern: new RegExp(pattern, PATTERN_FLAGS), texts: [] });
  let slowTexts = 0;

  /** Undefined when it took too long. */
  function matchInTime(texts: readonly string[]): readonly Groups[] | undefined {
    context["texts"] = texts;
    try {
      const json: unknown = SCRIPT.runInContext(context, { timeout: limitMs });
      return parseOwnJson<(Groups | null)[]>(String(json)).map((groups) => groups ?? undefined);
    } catch (error) {
      if (isTimeout(error)) return undefined;
      throw error;
    }
  }

  function matchOne(text: string): Groups {
    if (slowTexts >= MAX_SLOW_TEXTS) return undefined;
    const matched = matchInTime([text]);
    if (matched === undefined) slowTexts += 1;
    return matched?.[0];
  }

  return {
    match: (texts) =>
      (slowTexts < MAX_SLOW_TEXTS ? matchInTime(texts) : undefined) ?? texts.map(matchOne),
    hasGivenUp: () => slowTexts >= MAX_SLOW_TEXTS,
  };
}

/** Not by its class: the error can come from the other context. */
function isTimeout(error: unknown): boolean {
  return (
    typeof error === "object" &&
    error !== null &&
    "code" in error &&
    error.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
  );
}
