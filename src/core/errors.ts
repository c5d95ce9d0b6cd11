import type { ExitCode } from "./exit-code.ts";
import { EXIT } from "./exit-code.ts";
import { isRedisOutage } from "./redis-outage.ts";

/** What a person can do about an error, and what the process exits with. */
export interface ErrorAdvice {
  /** One line: what to do next. */
  readonly hint?: string;
  readonly cause?: unknown;
}

/**
 * Ends a command on purpose, with a message for people and one of the documented exit codes.
 * Anything else that reaches the top is a bug and exits 1.
 */
export class OnboardError extends Error {
  readonly exitCode: ExitCode;
  readonly hint: string | undefined;

  constructor(exitCode: ExitCode, message: string, advice: ErrorAdvice = {}) {
    super(message, advice.cause === undefined ? undefined : { cause: advice.cause });
    this.name = "OnboardError";
    this.exitCode = exitCode;
    this.hint = advice.hint;
  }
}

/** An error as it is told: an outage of Redis that nobody waited out is no bug (exit 5). */
export function explainError(thrown: unknown): unknown {
  if (!(thrown instanceof Error) || !isRedisOutage(thrown)) return thrown;
  return new OnboardError(EXIT.unavailable, `Redis cannot serve now: ${thrown.message}`, {
    hint: "nothing is lost: run the same command again when it can",
    cause: thrown,
  });
}

/** What a process exits with that ends with this error; anything unexpected is a bug. */
export function exitCodeOfError(thrown: unknown): ExitCode {
  const error = explainError(thrown);
  return error instanceof OnboardError ? error.exitCode : EXIT.bug;
}

/** The text of whatever was thrown. */
export function errorText(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
