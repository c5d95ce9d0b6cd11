import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { nearestWord } from "../core/nearest.ts";

/** One thing that is wrong with what the user set. */
export interface Fault {
  /** Flag, environment name or `file:line:column`. */
  readonly place: string;
  /** Never holds a secret. */
  readonly message: string;
}

const CONFIG_HINT = "`onboard-batch help config` lists every setting";

/** All faults in one error (exit 2), each on a line that begins with its place. */
export function faultsError(faults: readonly Fault[], hint = CONFIG_HINT): OnboardError {
  const lines = faults.map(({ place, message }) => `${place}: ${message}`);
  const [only] = lines;
  const message =
    lines.length === 1 && only !== undefined
      ? only
      : `${lines.length} faults in the settings:\n${lines.map((line) => `  ${line}`).join("\n")}`;
  return new OnboardError(EXIT.usage, message, { hint });
}

/** `is not known`, with the nearest known word when there is one. */
export function unknownWord(word: string, known: Iterable<string>): string {
  const nearest = nearestWord(word, known);
  const question = nearest === undefined ? "" : `; did you mean ${nearest}?`;
  return `${quoteValue(word)} is not known${question}`;
}

/** A value as it can stand in a message: on one line, without control characters, not endless. */
export function quoteValue(value: unknown): string {
  const text = typeof value === "number" ? String(value) : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
