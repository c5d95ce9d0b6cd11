/** A partner file whose rows all give different messages. */
export interface PartnerFileOptions {
  readonly rows: number;
  /**
   * Makes the bytes of this file its own without touching its messages: two unfinished runs of the
   * same bytes would get into each other's way.
   */
  readonly tag: string;
  /** The name of a row's partner, 1-based. */
  readonly nameOf?: (row: number) => string;
}

/** The text of a CSV file with the columns id, name, country, city. */
export function partnerCsv({ rows, tag, nameOf = defaultName }: PartnerFileOptions): string {
  const lines = Array.from({ length: rows }, (_, index) => {
    const row = index + 1;
    return `${tag}-${row},${nameOf(row)},DE,Bonn`;
  });
  return `id,name,country,city\n${lines.join("\n")}\n`;
}

function defaultName(row: number): string {
  return `Partner ${row} GmbH`;
}
