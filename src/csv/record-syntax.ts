/** How cells are told apart. Records end with LF, CRLF or CR, each in its own way. */
export interface RecordSyntax {
  /** A single character (one UTF-16 unit). */
  readonly delimiter: string;
}

/** Longest record, line breaks in quotes included: 1 Mi characters (UTF-16 units). */
export const MAX_RECORD_LENGTH = 1_048_576;
