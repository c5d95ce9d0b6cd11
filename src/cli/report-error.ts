import { CommanderError } from "commander";
import { errorText, explainError, OnboardError } from "../core/errors.ts";
import { EXIT, type ExitCode } from "../core/exit-code.ts";
import type { Output } from "./output.ts";

export interface ErrorStyle {
  readonly json: boolean;
  /** Show the stack of unexpected errors. */
  readonly verbose: boolean;
}

interface Told {
  readonly exitCode: ExitCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** Tells whatever ended a command on stderr and gives the exit code. */
export function reportError(error: unknown, output: Output, style: ErrorStyle): ExitCode {
  const told = tell(explainError(error));
  output.alert("error", told.message);
  if (told.exitCode === EXIT.bug && style.verbose && error instanceof Error) {
    output.say(error.stack ?? "");
  }
  if (told.hint !== undefined) output.say(told.hint);
  if (style.json) output.jsonLine({ type: "error", ...told });
  return told.exitCode;
}

function tell(error: unknown): Told {
  if (error instanceof OnboardError) {
    return { exitCode: error.exitCode, message: error.message, hint: error.hint };
  }
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, "");
    return { exitCode: EXIT.usage, message, hint: "`onboard-batch help` shows what there is" };
  }
  return {
    exitCode: EXIT.bug,
    message: `${errorText(error)}\nThis is a bug in onboard-batch.`,
    hint: "Please report it with the output of the same command with --verbose; the same command continues the run.",
  };
}
