import { expect, it } from "vitest";
import { createFieldReaders } from "../../../src/core/field-readers.ts";
import type { InputShape } from "../../../src/core/input.ts";
import { createReadingNotes } from "../../../src/core/reading-notes.ts";

function read(
  header: readonly string[],
  mapping: InputShape["mapping"],
  rows: readonly string[][],
) {
  const readers = createFieldReaders(header, mapping);
  const notes = createReadingNotes();
  return rows.map((cells) => {
    const partner = {};
    for (const reader of readers) reader(cells, partner, notes);
    return partner;
  });
}

it("remembers only so many countries, and knows the others nevertheless", () => {
  const unknown = Array.from({ length: 5_001 }, (_, at) => [`Atlantis ${at}`]);
  const found = read(["Land"], { country: [0] }, [...unknown, ["Polska"], ["Polska"]]);
  expect(found.slice(-2)).toEqual([{ country: "PL" }, { country: "PL" }]);
});

it("takes a country of any length alike each time", () => {
  const long = `Atlantis ${"x".repeat(200)}`;
  const found = read(["Land"], { country: [0] }, [[long], [long]]);
  expect(found).toEqual([{ country: long }, { country: long }]);
});

it("leaves a place alone that has no country, no code or no city", () => {
  const header = ["PLZ/Ort", "Land"];
  const rows = [
    ["89073 Ulm", ""],
    ["", "DE"],
    ["89073", "DE"],
    ["A", "JP"],
    ["1012 AB Ede", "NL"],
  ];
  expect(read(header, { postalCode: [0], country: [1] }, rows)).toEqual([
    { postalCode: "89073 Ulm" },
    { country: "DE" },
    { country: "DE", postalCode: "89073" },
    { country: "JP", postalCode: "A" },
    { country: "NL", postalCode: "1012 AB", city: "Ede" },
  ]);
});

it("joins what is filled of several columns, and is empty when none is", () => {
  const rows = [
    ["A", "", "B"],
    ["", "", ""],
    ["9.08E+12", "", ""],
  ];
  expect(read(["a", "b", "c"], { name: [0, 1, 2] }, rows.slice(0, 2))).toEqual([
    { name: "A B" },
    {},
  ]);
  expect(read(["a", "b", "c"], { duns: [0, 1] }, rows.slice(1))).toEqual([{}, {}]);
});
