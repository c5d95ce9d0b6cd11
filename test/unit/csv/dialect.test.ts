import { describe, expect, it } from "vitest";
import { delimiterLabel, type Frame, findDelimiter } from "../../../src/csv/dialect.ts";

const NO_FRAME: Frame = {
  skippedLines: 0,
  columns: undefined,
  expected: [],
  mayFollowPreamble: true,
};

function find(text: string, frame: Partial<Frame> = {}, isWhole = true) {
  return findDelimiter({ text, isWhole }, { ...NO_FRAME, ...frame });
}

function found(text: string, frame: Partial<Frame> = {}): string {
  const finding = find(text, frame);
  return finding.kind === "found" ? finding.delimiter : finding.message;
}

describe("findDelimiter", () => {
  it.each([
    ["name,country\nACME,DE\n", ","],
    ["name;country\nACME;DE\n", ";"],
    ["name\tcountry\nACME\tDE\n", "\t"],
    ["name|country\nACME|DE\n", "|"],
    ["foo|bar|baz\r1|2|3\r", "|"],
    ["name;note\nACME;a,b,c,d,e,f\nUmbrella;g,h,i,j,k\n", ";"],
    ['"name, legal";"city, seat"\n"A, B";"C, D"\n', ";"],
    ['foo;"bar\n,,,,,"\n1;2\n', ";"],
    ["name;city, country\nACME;Ulm, DE\nUmbrella;Rome\n", ";"],
    ["Betrag;x,y\n1;a\n2;b\n3;c\n", ";"],
  ])("finds it in %j", (text, delimiter) => {
    expect(found(text)).toBe(delimiter);
  });

  it("takes a file of one column for what it is", () => {
    expect(found('"first;name";"x"')).toBe(";");
    expect(found('"first;name"\n"x"\n')).toBe(",");
    expect(found('"a,b,c,d"\n')).toBe(",");
    expect(found("name\nACME\n")).toBe(",");
    expect(found("")).toBe(",");
  });

  it("does not cut a lone column at the commas in its names", () => {
    expect(find("name\nLVMH, Moët Hennessy\nACME\n")).toMatchObject({
      kind: "found",
      delimiter: ";",
      warnings: ["The file has one column; commas in it are taken for text."],
    });
    expect(found("name\na,b\nc;d\ne\tf\ng|h\n")).toBe(",");
  });

  it("lets known header names weigh more than regular rows", () => {
    expect(found("name;city,x\na,b\nc,d\n")).toBe(
      "The header is cut by semicolon, the records by comma. Mend the file, or say with --delimiter which one is right.",
    );
    expect(found("name;city;a,b\n1;2;3\n4;5\n")).toBe(";");
  });

  it("counts header names that the user told of", () => {
    expect(found("foo;x,bar\n1;2,3\n", { expected: ["foo"] })).toBe(";");
  });

  it("asks when two delimiters fit alike", () => {
    expect(found("foo;x,bar\n1;2,3\n")).toBe(
      "The delimiter may be comma (2 columns) or semicolon (2 columns); say which with --delimiter comma or --delimiter semicolon.",
    );
  });

  it("looks only at whole records of a sample that is cut", () => {
    expect(find('name,city\nACME,Ulm\nfoo,"bar;;;;', {}, false)).toMatchObject({ delimiter: "," });
  });

  it("passes over lines before the header", () => {
    expect(found("a|b|c\nname;city\n1;2\n", { skippedLines: 1 })).toBe(";");
  });

  it("uses the number of named columns when there is no header", () => {
    const columns = ["name", "country", "city"];
    expect(found("ACME, Inc;DE;Ulm\nUmbrella;DE;Bonn\n", { columns })).toBe(";");
    expect(found("ACME\nUmbrella\n", { columns: ["name"] })).toBe(",");
    expect(found("ACME, Inc\nUmbrella\n", { columns: ["name"] })).toBe(";");
  });

  it("does not stumble over a record that cannot be read", () => {
    expect(found('name,city\n"ACME,Ulm\nUmbrella,"Bonn"\n')).toBe(",");
  });
});

describe("delimiterLabel", () => {
  it("has a word for the usual ones", () => {
    expect([",", ";", "\t", "|", "#"].map(delimiterLabel)).toEqual([
      "comma",
      "semicolon",
      "tab",
      "pipe",
      "#",
    ]);
  });
});
