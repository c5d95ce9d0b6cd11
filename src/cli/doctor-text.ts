import type { Finding } from "../core/finding.ts";
import { sanitizeForTerminal } from "./sanitize.ts";

const WHAT_WIDTH = 13;

/** A finding as one line for people, and a second one with what to do about it. */
export function renderFinding(finding: Finding): string {
  const { verdict, what, found } = finding;
  const line = `${verdict.padEnd(4)}  ${what.padEnd(WHAT_WIDTH)}  ${clean(found)}`;
  return verdict === "ok"
    ? line
    : `${line}\n      ${" ".repeat(WHAT_WIDTH)}  ${clean(finding.mend)}`;
}

/** One line, whatever an agent or a server says. */
function clean(text: string): string {
  return sanitizeForTerminal(text.replaceAll(/[\r\n]+/g, " "));
}
