import * as crypto from "node:crypto";
import { createHashTable } from "./hash-table.ts";

export interface DuplicateFinder {
  /** The first row that had this text, `row` itself when the text is new. */
  firstRowOf(message: string, row: number): number;
}

/** Finds equal texts among millions in one pass without keeping them, in about 30 MB for a million. */
export function createDuplicateFinder(): DuplicateFinder {
  const rows = createHashTable();
  return {
    firstRowOf: (message, row) => rows.keep(crypto.hash("sha256", message, "binary"), row),
  };
}
