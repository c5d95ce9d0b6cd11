import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanCell } from "../../../src/core/cell-cleaning.ts";
import { createReadingNotes } from "../../../src/core/reading-notes.ts";

function clean(cell: string): string {
  return cleanCell(cell, createReadingNotes());
}

function notesOf(cell: string): readonly string[] {
  const notes = createReadingNotes();
  notes.line = 7;
  cleanCell(cell, notes);
  return notes.warnings();
}

describe("cleanCell", () => {
  it.each([
    ["", ""],
    ["ACME", "ACME"],
    ["Müller & Söhne", "Müller & Söhne"],
    ["  ACME  ", "ACME"],
    ["ACME\r\nGmbH", "ACME GmbH"],
    ["ACME \n\n GmbH", "ACME GmbH"],
    ["A\tB\u0000C\u0085D\u2028E\u2029F", "A B C D E F"],
    ["A  B", "A B"],
    ["\u00A0\n", ""],
    ["ACME\u00A0\u2009GmbH\u3000", "ACME GmbH"],
    ["A\u200BC\u00ADM\uFEFFE", "ACME"],
    ["\u202AACME\u202C \u200EGmbH", "ACME GmbH"],
    ["Mu\u0308ller", "Müller"],
    ["AC\u200DME", "ACME"],
    ["क्\u200Dष", "क्\u200Dष"],
    ["Łódź – Český", "Łódź – Český"],
    ["東京", "東京"],
    ['="00123"', "00123"],
    ['="a ""b"""', 'a "b"'],
    ["=1+1", "=1+1"],
    ["'00123", "00123"],
    ["'s-Hertogenbosch", "'s-Hertogenbosch"],
    [' "Ulm"', "Ulm"],
    ['"Ulm"', '"Ulm"'],
    [' "A" "B"', '"A" "B"'],
  ])("makes of %j what is sent", (cell, text) => {
    expect(clean(cell)).toBe(text);
  });

  it("notes what it leaves out", () => {
    expect(notesOf("A\u0000B")).toEqual(["Control characters in a cell are not sent: line 7."]);
    expect(notesOf("A\u200BB")).toEqual(["Invisible characters in a cell are not sent: line 7."]);
    expect(notesOf('="1"')).toEqual([
      'A cell written as ="…" is taken for the text in it: line 7.',
    ]);
    expect(notesOf("'1")).toEqual(["An apostrophe before digits is left out: line 7."]);
    expect(notesOf(" A\r\n\tB ")).toEqual([]);
  });

  it("never leaves anything that could begin a new line, nor a blank too many", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)),
        (cell) => {
          const text = clean(cell);
          expect(/[\p{Cc}\u2028\u2029\uFEFF\u200B]| {2}|^ | $/u.test(text)).toBe(false);
          expect(clean(text)).toBe(text);
        },
      ),
    );
  });
});
