import type { ExitCode } from "../core/exit-code.ts";
import { EXIT } from "../core/exit-code.ts";

/** What stopped a run weighs more than rows that failed, and a signal more than anything. */
const SEVERITY: readonly ExitCode[] = [
  EXIT.ok,
  EXIT.rowsFailed,
  EXIT.stopped,
  EXIT.held,
  EXIT.usage,
  EXIT.unavailable,
  EXIT.credentials,
  EXIT.bug,
  EXIT.interrupted,
  EXIT.terminated,
];

/** What a command with several runs ends with. */
export function worstExitCode(exitCodes: readonly ExitCode[]): ExitCode {
  return exitCodes.reduce<ExitCode>(
    (a, b) => (SEVERITY.indexOf(b) > SEVERITY.indexOf(a) ? b : a),
    EXIT.ok,
  );
}
