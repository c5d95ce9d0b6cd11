import { OnboardError } from "./errors.ts";
import type { ExitCode } from "./exit-code.ts";
import { EXIT } from "./exit-code.ts";

interface FindingBase {
  /** What was looked at. */
  readonly what: string;
  /** What was found, one line for people. */
  readonly found: string;
}

/** What an examination found about one thing that runs need. */
export type Finding =
  | (FindingBase & { readonly verdict: "ok" })
  /** Runs would work, but not as well as they could. */
  | (FindingBase & { readonly verdict: "warn"; readonly mend: string })
  /** Runs would end with this exit code. */
  | (FindingBase & {
      readonly verdict: "fail";
      readonly mend: string;
      readonly exitCode: ExitCode;
    });

/** What an examination ends with: of several faults the one that is to be mended first. */
export function exitCodeOfFindings(findings: readonly Finding[]): ExitCode {
  const codes = findings.flatMap((finding) => (finding.verdict === "fail" ? finding.exitCode : []));
  return codes.toSorted((left, right) => left - right)[0] ?? EXIT.ok;
}

/** An error of a run as a finding. @throws the error itself when it is a bug */
export function findingOfError(what: string, error: unknown): Finding {
  if (!(error instanceof OnboardError)) throw error;
  const { message, hint, exitCode } = error;
  return { what, verdict: "fail", found: message, mend: hint ?? "see above", exitCode };
}
