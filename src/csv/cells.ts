import { parse } from "csv-parse/sync";
import type { RawRecord } from "./record-splitter.ts";
import type { RecordSyntax } from "./record-syntax.ts";

/** A record with its cells, or the reason why it has none. */
export type CellRecord =
  | { readonly kind: "cells"; readonly raw: RawRecord; readonly cells: readonly string[] }
  | { readonly kind: "broken"; readonly raw: RawRecord; readonly why: string };

/**
 * Reads the cells of a record. Most are cut on the way (a million rows would take csv-parse twice the time); a record
 * that departs from RFC 4180 is left to csv-parse, which takes stray quotes for text.
 */
export function readCells(raw: RawRecord, syntax: RecordSyntax): CellRecord {
  switch (raw.kind) {
    case "plain":
      return { kind: "cells", raw, cells: raw.text.split(syntax.delimiter) };
    case "quoted":
      return { kind: "cells", raw, cells: raw.cells };
    case "loose":
      return { kind: "cells", raw, cells: readLoose(raw.text, syntax) };
    case "broken":
      return { kind: "broken", raw, why: raw.why };
  }
}

function readLoose(text: string, { delimiter }: RecordSyntax): readonly string[] {
  const rows: string[][] = parse(text, {
    delimiter,
    record_delimiter: ["\r\n", "\n", "\r"],
    relax_column_count: true,
    relax_quotes: true,
  });
  return rows.flat();
}
