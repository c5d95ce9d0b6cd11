import type { ReadFailure } from "./failure.ts";
import type { Partner, PartnerField } from "./partner.ts";

/** The four delimiters that are found by looking. */
export type Delimiter = "," | ";" | "\t" | "|";

/** How to read a file; what is absent is found by looking. Part of the run's identity. */
export interface ReadOptions {
  /** One character, or `tab`, `comma`, `semicolon`, `pipe`. */
  readonly delimiter?: string;
  /** A TextDecoder label. */
  readonly encoding?: string;
  /** 1-based physical line of the header. */
  readonly headerRow?: number;
  /** Column names for a file without a header row. */
  readonly columns?: readonly string[];
  /** Field -> header of the column that holds it; wins over what is found by alias. */
  readonly map: Readonly<Partial<Record<PartnerField, string>>>;
}

/** What was found about the file before the first data record. */
export interface InputShape {
  readonly encoding: string;
  readonly delimiter: string;
  /** Physical line of the header, 0 when `columns` named them. */
  readonly headerLine: number;
  /** Column names as in the file, without the `onboard_*` columns of a file that is fed back. */
  readonly header: readonly string[];
  /** Column indexes of each field, in joining order. */
  readonly mapping: Readonly<Partial<Record<PartnerField, readonly number[]>>>;
  /** Names of the columns that no field uses. */
  readonly ignoredColumns: readonly string[];
  /** Lines for people about anything that was guessed or repaired. */
  readonly warnings: readonly string[];
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
