import { expect, it } from "vitest";
import { lookAtCells, sayTheSame } from "../../../src/core/column-evidence.ts";
import { mapColumns } from "../../../src/core/mapping.ts";

it("judges a column by its filled cells", () => {
  const look = lookAtCells([
    ["ACME GmbH", "K-4711", "Polska", "attivo", "a1", ""],
    ["Globex", "12/3", "D", "chiuso", "Germany"],
  ]);
  expect([0, 1, 2, 3, 4, 5].map(look)).toEqual([
    "names",
    "numbers",
    "countries",
    "names",
    "unclear",
    "unclear",
  ]);
  expect(lookAtCells([["!!"], ["??"]])(0)).toBe("no-countries");
});

it("compares two columns where both say something", () => {
  expect(sayTheSame([["A", "A"], ["B"]], 0, 1)).toBe(true);
  expect(sayTheSame([["A", "B"]], 0, 1)).toBe(false);
  expect(sayTheSame([[]], 0, 1)).toBe(true);
  expect(sayTheSame([], 0, 1)).toBe(false);
});

it("takes a column of numbers for the number, and then asks for the name", () => {
  const columns = mapColumns(["Lieferant", "Ort"], {}, [["4711", "Ulm"]]);
  expect(columns).toMatchObject({
    kind: "problem",
    message: expect.stringContaining("--map name"),
  });
});
