import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readCells } from "../../../src/csv/cells.ts";
import { createRecordSplitter } from "../../../src/csv/record-splitter.ts";
import { MAX_RECORD_LENGTH, type RecordSyntax } from "../../../src/csv/record-syntax.ts";

const COMMA: RecordSyntax = { delimiter: "," };

interface Read {
  readonly line: number;
  readonly kind: string;
  readonly cells: readonly string[] | string;
}

/** What the splitter makes of a text that comes in pieces of a length. */
function read(text: string, syntax = COMMA, pieceLength = text.length + 1): Read[] {
  const splitter = createRecordSplitter(syntax);
  const pieces = Array.from({ length: Math.ceil(text.length / pieceLength) }, (_, index) =>
    text.slice(index * pieceLength, (index + 1) * pieceLength),
  );
  const records = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
  return records.map((raw) => {
    const record = readCells(raw, syntax);
    const cells = record.kind === "cells" ? record.cells : record.why;
    return { line: raw.line, kind: raw.kind, cells };
  });
}

const cellsOf = (text: string, syntax = COMMA) => read(text, syntax).map(({ cells }) => cells);
const LOST = "A quote is opened and never closed.";

describe("the record splitter", () => {
  it("reads records with LF and CRLF, with and without one at the end", () => {
    expect(cellsOf("a,b\r\nc,d\ne,f")).toEqual([
      ["a", "b"],
      ["c", "d"],
      ["e", "f"],
    ]);
    expect(cellsOf('a,"b"\r\nc,"d"\n"e","f"\r\n')).toEqual([
      ["a", "b"],
      ["c", "d"],
      ["e", "f"],
    ]);
    expect(cellsOf('"a"\r')).toEqual([["a"]]);
  });

  it("reads records that end with CR alone", () => {
    expect(read('a,b\r"c\r","d"\re,f')).toEqual([
      { line: 1, kind: "plain", cells: ["a", "b"] },
      { line: 2, kind: "quoted", cells: ["c\r", "d"] },
      { line: 4, kind: "plain", cells: ["e", "f"] },
    ]);
  });

  it("lets each record end in its own way", () => {
    expect(read('a,b\rc,d\n"e\r\n\rf",g\r\nh,i\r\r\nj,k')).toEqual([
      { line: 1, kind: "plain", cells: ["a", "b"] },
      { line: 2, kind: "plain", cells: ["c", "d"] },
      { line: 3, kind: "quoted", cells: ["e\r\n\rf", "g"] },
      { line: 6, kind: "plain", cells: ["h", "i"] },
      { line: 8, kind: "plain", cells: ["j", "k"] },
    ]);
  });

  it("names the physical line on which a record begins", () => {
    const text = 'h\n\n"a\nb\r\nc",x\n  \nd\n"e"\n';
    expect(read(text).map(({ line }) => line)).toEqual([1, 3, 7, 8]);
  });

  it("skips blank lines but not empty cells", () => {
    expect(cellsOf('\n \n\t\na\n,\n""\n')).toEqual([["a"], ["", ""], [""]]);
    expect(cellsOf("\t\t\n", { delimiter: "\t" })).toEqual([["", "", ""]]);
  });

  it("takes quotes in the middle of a cell for text", () => {
    expect(cellsOf('5" pipe,Toys "R" Us\n')).toEqual([['5" pipe', 'Toys "R" Us']]);
  });

  it("takes text behind a closing quote for text, and says so", () => {
    expect(read('"C" St,x\n"a""b"c,y\n')).toEqual([
      { line: 1, kind: "loose", cells: ['"C" St', "x"] },
      { line: 2, kind: "loose", cells: ['"a"b"c', "y"] },
    ]);
  });

  it("skips lines before the first record", () => {
    const splitter = createRecordSplitter(COMMA, 2);
    const pieces = ['"tit', "le\n", 'x\ny"\n', "z"];
    const records = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()];
    expect(records.map(({ line, text }) => [line, text])).toEqual([
      [3, 'y"'],
      [4, "z"],
    ]);
  });
});

describe("a lost quote", () => {
  it("costs its own line when quotes follow", () => {
    expect(read('1,"Foo,DE\n2,"Bar, Inc",DE\n3,Baz,DE\n')).toEqual([
      { line: 1, kind: "broken", cells: LOST },
      { line: 2, kind: "quoted", cells: ["2", "Bar, Inc", "DE"] },
      { line: 3, kind: "plain", cells: ["3", "Baz", "DE"] },
    ]);
  });

  it("costs its own line when none follows", () => {
    expect(read('1,"Foo,DE\r\n2,Bar,DE\r\n3,Baz,DE')).toEqual([
      { line: 1, kind: "broken", cells: LOST },
      { line: 2, kind: "plain", cells: ["2", "Bar", "DE"] },
      { line: 3, kind: "plain", cells: ["3", "Baz", "DE"] },
    ]);
    expect(read('1,"Foo')).toEqual([{ line: 1, kind: "broken", cells: LOST }]);
  });

  it("costs its own line however long the rest is, in bounded memory", () => {
    const rest = "2,Bar,DE\n".repeat(200_000);
    const records = read(`1,"Foo,DE\n${rest}`, COMMA, 65_536);
    expect(records).toHaveLength(200_001);
    expect(records[0]).toEqual({ line: 1, kind: "broken", cells: LOST });
    expect(records.at(-1)).toEqual({ line: 200_001, kind: "plain", cells: ["2", "Bar", "DE"] });
  });

  it("costs one line each, many times", () => {
    const text = '1,"Foo,DE\n'.repeat(50);
    expect(read(text).map(({ kind }) => kind)).toEqual(Array.from({ length: 50 }, () => "broken"));
  });
});

describe("a record without end", () => {
  const huge = "x".repeat(MAX_RECORD_LENGTH + 1);

  it("is broken, and reading goes on behind it", () => {
    const text = `a\n${huge}${huge}\nb\n`;
    for (const pieceLength of [text.length, 65_536, 999_983]) {
      expect(read(text, COMMA, pieceLength)).toEqual([
        { line: 1, kind: "plain", cells: ["a"] },
        {
          line: 2,
          kind: "broken",
          cells: `The record has more than ${MAX_RECORD_LENGTH} characters.`,
        },
        { line: 3, kind: "plain", cells: ["b"] },
      ]);
    }
  });

  it("is broken in quotes too, at the same place for every piece length", () => {
    const text = `a\n"x\n${`${"y".repeat(1023)}\n`.repeat(1024)}z"\nb\n`;
    const whole = read(text);
    expect(whole[1]).toEqual({ line: 2, kind: "broken", cells: LOST });
    expect(read(text, COMMA, 65_536)).toEqual(whole);
    const long = `"${huge}"\nb\n`;
    expect(read(long).map(({ kind }) => kind)).toEqual(["broken", "plain"]);
    expect(read(long, COMMA, 4096)).toEqual(read(long));
    const wide = `""${",".repeat(MAX_RECORD_LENGTH)}\nb\n`;
    expect(read(wide).map(({ kind }) => kind)).toEqual(["broken", "plain"]);
  });

  it("keeps no more of it than a record may have", () => {
    const [record] = createRecordSplitter(COMMA).push(huge + huge);
    expect(record?.text).toHaveLength(MAX_RECORD_LENGTH);
  });
});

function quoteCell(cell: string): string {
  return /[",\r\n]/u.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

/** Texts made of what a splitter may stumble over. */
const nastyText = fc
  .array(fc.constantFrom('"', '""', ",", ";", "\n", "\r\n", "\r", "a", "é", " ", "😀"), {
    maxLength: 40,
  })
  .map((parts) => parts.join(""));

describe("any text", () => {
  it("gives the same records whatever pieces it comes in", () => {
    fc.assert(
      fc.property(nastyText, fc.integer({ min: 1, max: 7 }), (text, pieceLength) => {
        expect(read(text, COMMA, pieceLength)).toEqual(read(text));
      }),
      { numRuns: 500 },
    );
  });

  it("is read to its end behind any fault", () => {
    fc.assert(
      fc.property(nastyText, (text) => {
        // A quote that is still open at the end gives up one line, never the lines behind it.
        const last = read(`${text}\nlast\nrecord\n`).at(-1);
        expect(last).toMatchObject({ kind: "plain", cells: ["record"] });
      }),
      { numRuns: 500 },
    );
  });

  it("is read as csv-parse reads it when it is well-formed", () => {
    const cell = fc.string({ unit: fc.constantFrom('"', ",", "\n", "\r\n", "a", "é", " ", "😀") });
    const row = fc.array(cell, { minLength: 2, maxLength: 4 });
    const newline = fc.constantFrom("\n", "\r\n");
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), newline, (rows, lineEnd) => {
        const text = rows.map((cells) => cells.map(quoteCell).join(",") + lineEnd).join("");
        const expected = parse(text, { relax_column_count: true, record_delimiter: lineEnd });
        expect(cellsOf(text)).toEqual(expected);
        expect(cellsOf(text)).toEqual(rows);
      }),
      { numRuns: 500 },
    );
  });
});
