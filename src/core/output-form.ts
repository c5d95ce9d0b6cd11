import type { ResultColumn } from "./result-columns.ts";

/** How a run's output files are written: the choice of whoever writes them, not the run's own. */
export interface OutputForm {
  /** CSV files with byte order mark, semicolons and CRLF. */
  readonly excel: boolean;
  /** Whether results.jsonl is made too. */
  readonly jsonl: boolean;
  /** Further columns of results.csv, in order. */
  readonly columns: readonly ResultColumn[];
}
