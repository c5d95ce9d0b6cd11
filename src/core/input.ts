import type { ReadFailure } from "./failure.ts";
import type { Partner, PartnerField } from "./partner.ts";
import type { SkippedLine } from "./reading-notes.ts";

/** The four delimiters that are found by looking. */
export type Delimiter = "," | ";" | "\t" | "|";

/** How to read a file; what is absent is found by looking. Part of the run's identity. */
export interface ReadOptions {
  /** One character, or `tab`, `comma`, `semicolon`, `pipe`. */
  readonly delimiter?: string;
  /** A TextDecoder label, `cp850` or `cp437`. */
  readonly encoding?: string;
  /** For what is not UTF-8 when `encoding` is absent; without it Windows-1252, unless the bytes speak for another. */
  readonly fallbackEncoding?: string;
  /** 1-based physical line of the header. */
  readonly headerRow?: number;
  /** Column names for a file without a header row. */
  readonly columns?: readonly string[];
  /** Field -> header of the column that holds it; wins over what is found by alias. */
  readonly map: Readonly<Partial<Record<PartnerField, string>>>;
}

/** What was found about the file before the first data record. */
export interface InputShape {
  /** Canonical name; `utf-8+windows-1252` for a file that holds lines of both. */
  readonly encoding: string;
  readonly delimiter: string;
  /** Physical line of the header, 0 when `columns` named them. */
  readonly headerLine: number;
  /** Column names as in the file, without the `onboard_*` columns of a file that is fed back. */
  readonly header: readonly string[];
  /** Column indexes of each field, in joining order. Columns of the same name as one of them step in where it is empty. */
  readonly mapping: Readonly<Partial<Record<PartnerField, readonly number[]>>>;
  /** Names of the columns that no field uses. */
  readonly ignoredColumns: readonly string[];
  /** Lines for people about anything that was guessed or repaired. */
  readonly warnings: readonly string[];
  /** Lines before the records that are neither header nor record. */
  readonly skipped: readonly SkippedLine[];
  /** Why encoding, delimiter and header are taken to be what they are; one sentence each. */
  readonly reasons: ShapeReasons;
}

export interface ShapeReasons {
  readonly encoding: string;
  readonly delimiter: string;
  readonly header: string;
}

interface RecordBase {
  /** 1-based data record. */
  readonly row: number;
  /** Physical line where the record begins. */
  readonly line: number;
  /** Cells as decoded, one for each name of the header: missing ones are empty, surplus ones are only in `raw`. */
  readonly cells: readonly string[];
}

/** A data record: one that can be sent, or one that goes to the failures before any call. */
export type InputRow =
  | (RecordBase & { readonly kind: "partner"; readonly partner: Partner })
  | (RecordBase & { readonly kind: "bad"; readonly failure: ReadFailure; readonly raw: string });
