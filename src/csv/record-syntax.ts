/** How cells and records are told apart. */
export interface RecordSyntax {
  /** A single character (one UTF-16 unit). */
  readonly delimiter: string;
  /** `\n` ends CRLF records too; `\r` is for files that have no `\n` at all. */
  readonly newline: "\n" | "\r";
}

/** Longest record, line breaks in quotes included: 1 Mi characters (UTF-16 units). */
export const MAX_RECORD_LENGTH = 1_048_576;

/** The line end of a file, judged by its beginning. */
export function findNewline(sample: string): RecordSyntax["newline"] {
  return sample.includes("\r") && !sample.includes("\n") ? "\r" : "\n";
}
