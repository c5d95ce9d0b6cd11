import fc from "fast-check";

/** What cells and lines are made of: signs that readers stumble over among ordinary words. */
const PIECES = [
  "ACME",
  "GmbH",
  "Müller",
  "DE",
  "Köln",
  "会社",
  "😀",
  "007",
  "12,5",
  "1e5",
  "2024-01-02",
  "=1+1",
  "+49 89",
  "-5",
  "@x",
  "'00",
  '="01"',
  "NULL",
  "n/a",
  "Total",
  "Anzahl 3",
  "FIN6",
  "***END OF FILE***",
  "(2 rows affected)",
  "---",
  "===",
  "sep=;",
  "EXTF;700;",
  "#",
  '"',
  '""',
  '"""',
  String.raw`\"`,
  "'",
  ",",
  ";",
  "\t",
  "|",
  " ",
  "\n",
  "\r\n",
  "\r",
  "\u00A0",
  "\uFEFF",
  "\u0000",
  "\u001A",
  "\uFFFD",
  "\u200B",
  "\u2028",
  "\u0085",
  "e\u0301",
] as const;

/** One of them. */
export const piece = fc.constantFrom(...PIECES);

/** A cell of anything. */
export const wildCell: fc.Arbitrary<string> = fc.oneof(
  { weight: 12, arbitrary: piece },
  { weight: 6, arbitrary: fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join("")) },
  { weight: 3, arbitrary: fc.string({ unit: "binary", maxLength: 8 }) },
  { weight: 1, arbitrary: fc.constant("") },
);

/** A cell as RFC 4180 has it. */
export function quoted(cell: string): string {
  return `"${cell.replaceAll('"', '""')}"`;
}

/** A table of wild cells that can be read, written as RFC 4180 has it. */
export const wildTable: fc.Arbitrary<{
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}> = fc
  .array(fc.constantFrom("id", "city", "Country", "City", "x", "", "=x", "a,b", 'q"', "n\nl"), {
    maxLength: 5,
  })
  .chain((more) =>
    fc.record({
      names: fc.constant(["name", ...more]),
      rows: fc.array(
        fc
          .tuple(
            fc.oneof(fc.constantFrom("ACME", "Müller & Co", "会社", "ACME"), wildCell),
            fc.array(wildCell, { minLength: more.length, maxLength: more.length }),
          )
          .map(([name, cells]) => [name].concat(cells)),
        { maxLength: 15 },
      ),
    }),
  );

/** The table as RFC 4180 has it. */
export function tableCsv(table: {
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
}): string {
  return [table.names, ...table.rows].map((row) => `${row.map(quoted).join(",")}\n`).join("");
}
