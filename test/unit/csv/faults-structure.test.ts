import { describe, expect, it } from "vitest";
import { readAll, refusalOf } from "./read-file-for-tests.ts";

describe("delimiters, line ends and quotes", () => {
  it("23, 24: semicolons with decimal commas, tabs, pipes", async () => {
    const file = ["name;sum;note", "A;1,5;x,y", "B;2,5;z,w"].join("\n");
    expect((await readAll(file)).shape.delimiter).toBe(";");
    expect((await readAll(file.replaceAll(";", "\t"))).shape.delimiter).toBe("\t");
    expect((await readAll(file.replaceAll(";", "|"))).names).toEqual(["A", "B"]);
  });

  it.each(["sep=#\r\n", '"sep=#"\n', "\uFEFFsep=#\n", "SEP=#\r"])(
    "25: %j names the delimiter and is no header",
    async (first) => {
      const { shape, records, skipped } = await readAll(`${first}name#city\nA#B\n`);
      expect(shape).toMatchObject({ delimiter: "#", headerLine: 2 });
      expect(records).toMatchObject([{ line: 3, partner: { name: "A", city: "B" } }]);
      expect(skipped).toMatchObject([{ line: 1, why: "names the delimiter" }]);
    },
  );

  it("25: a tab may be written as \\t", async () => {
    expect((await readAll("sep=\\t\nname\tcity\nA\tB\n")).names).toEqual(["A"]);
  });

  it("26: a header cut otherwise than its rows is refused", async () => {
    expect(await refusalOf("name,city\nA;B\nC;D\n")).toContain(
      "The header is cut by comma, the records by semicolon",
    );
  });

  it("27, 28: CR, LF, CRLF and all of them in one file", async () => {
    for (const end of ["\r", "\n", "\r\n"]) {
      expect((await readAll(`name,city${end}A,B${end}C,D`)).names).toEqual(["A", "C"]);
    }
    const { records } = await readAll('name,city\r\nA,B\n"C\r\nD",E\rF,G\r\n');
    expect(records).toMatchObject([
      { line: 2, partner: { name: "A" } },
      { line: 3, cells: ["C\r\nD", "E"], partner: { name: "C D" } },
      { line: 5, partner: { name: "F", city: "G" } },
    ]);
  });

  it("29, 30: line breaks in cells and in headers", async () => {
    const { shape, records } = await readAll('"company\nname","city"\n"A\nB",Ulm\nC,D\n');
    expect(shape.mapping).toEqual({ name: [0], city: [1] });
    expect(records).toMatchObject([
      { row: 1, line: 3, partner: { name: "A B" } },
      { row: 2, line: 5, partner: { name: "C" } },
    ]);
  });

  it("31: a lost quote costs its own row and nothing more", async () => {
    const { names } = await readAll('id,name\n1,"A\n2,B\n3,"C, D"\n4,"E\n');
    expect(names).toEqual(["ROW_UNREADABLE", "B", "C, D", "ROW_UNREADABLE"]);
  });

  it("32: stray quotes are text", async () => {
    const { names, warnings } = await readAll('name,city\n5" Pipe Ltd,Ulm\n"C" Shop,Bonn\n');
    expect(names).toEqual(['5" Pipe Ltd', '"C" Shop']);
    expect(warnings).toContain("Text behind a closing quote is taken as it stands");
  });

  it("33: quotes escaped by a backslash, and \\N for nothing", async () => {
    const { partners, warnings } = await readAll(
      String.raw`name,city
"A \"B\" C",\N
"D \", E",Ulm
`,
    );
    expect(partners).toEqual([{ name: 'A "B" C' }, { name: 'D ", E', city: "Ulm" }]);
    expect(warnings).toContain(String.raw`Quotes are escaped by a backslash (\"): 2 times`);
  });

  it("34: blanks before an opening quote", async () => {
    const { partners } = await readAll('name,sum,city\nA, "6,000",Ulm\nB,7, "Bonn"\n');
    expect(partners).toEqual([
      { name: "A", city: "Ulm" },
      { name: "B", city: "Bonn" },
    ]);
  });

  it("35, 36: typographic and single quotes are kept, and pointed out when they hold the name", async () => {
    const { names, warnings } = await readAll("name\n„ACME“\nQuesos 'Las Cabras'\nA “B” C\n");
    expect(names).toEqual(["„ACME“", "Quesos 'Las Cabras'", "A “B” C"]);
    expect(warnings).toContain("typographic quotes; they are sent with it: line 2.");
  });

  it("37: a name cut at its comma fails, and the message shows where", async () => {
    const { records } = await readAll("id,name,city\n7,Pavlova, Ltd.,Melbourne\n8,ACME,Ulm\n");
    expect(records[0]).toMatchObject({
      failure: { reason: "ROW_TOO_WIDE", message: expect.stringContaining('"Pavlova, Ltd."') },
      raw: "7,Pavlova, Ltd.,Melbourne",
    });
    expect(records[1]).toMatchObject({ partner: { name: "ACME" } });
  });

  it("37: a comma in a name is seen too when the row ends in an empty cell", async () => {
    const { names } = await readAll(
      "name,city,country,phone\nACME,Ulm,DE,1\nFoo, Inc.,Paris,FR,\nBar,Rome,IT,\n",
    );
    expect(names).toEqual(["ACME", "ROW_TOO_WIDE", "Bar"]);
    const habit = "name,city,phone\nACME,Ulm,1,\nFoo, Inc.,Paris,,\nBar,Rome,,\n";
    expect((await readAll(habit)).names).toEqual(["ACME", "ROW_TOO_WIDE", "Bar"]);
  });

  it("38, 39: a row too short is filled up unless the name is missing, and counted", async () => {
    const { names, records, warnings } = await readAll("id,name,city,note\n1,A\n2\n3,B,Ulm,x\n");
    expect(names).toEqual(["A", "ROW_TOO_NARROW", "B"]);
    expect(records[0]?.cells).toEqual(["1", "A", "", ""]);
    expect(warnings).toContain(
      "The record ends early; its missing cells are taken for empty: line 2.",
    );
  });

  it("40, 41, 42: empty columns at the end, and lines without text, are left out", async () => {
    const { shape, records, warnings } = await readAll(
      "\n\nname;city;;;\nA;B;;;\n;;;;\n \nC;D;\nE;F;;x\n",
    );
    expect(shape).toMatchObject({ header: ["name", "city", "", ""], headerLine: 3 });
    expect(records.map(({ line, row }) => [row, line])).toEqual([
      [1, 4],
      [2, 7],
      [3, 8],
    ]);
    expect(warnings).toContain("Lines without any text are left out: line 5.");
    expect((await readAll("name;city;\nA;B;\nC;D;;;\n")).shape.header).toEqual(["name", "city"]);
  });
});

describe("header and frame", () => {
  it("43: lines above the header are left out and listed", async () => {
    const { shape, names, skipped } = await readAll(
      "Vendor list;;\nas of 1.2.2026\n\nName;Ort;Land\nA;Ulm;DE\nB;Graz;AT\n",
    );
    expect(shape).toMatchObject({ headerLine: 4, delimiter: ";" });
    expect(names).toEqual(["A", "B"]);
    expect(skipped).toEqual([
      { line: 1, why: "above the header", text: "Vendor list;;" },
      { line: 2, why: "above the header", text: "as of 1.2.2026" },
    ]);
  });

  it("43: names in the data do not make a header of a row", async () => {
    const { shape, names } = await readAll("name,role,area\nA,Supplier,Region\nB,Customer,City\n");
    expect(shape.headerLine).toBe(1);
    expect(names).toEqual(["A", "B"]);
  });

  it("44: DATEV's first line", async () => {
    const { shape, partners, skipped } = await readAll(
      '"EXTF";700;16;"Debitoren/Kreditoren";5;2026\r\nKonto;Name (Adressattyp Unternehmen);Ort\r\n70001;"ACME GmbH";Ulm\r\n',
    );
    expect(shape.headerLine).toBe(2);
    expect(partners).toEqual([{ internalId: "70001", name: "ACME GmbH", city: "Ulm" }]);
    expect(skipped).toMatchObject([{ line: 1, why: "DATEV's own first line" }]);
  });

  it("44: in DATEV's addresses Land is the country, and EU-Land only the beginning of the VAT id", async () => {
    const { partners } = await readAll(
      '"EXTF";700;16;"Debitoren/Kreditoren"\r\nKonto;Name (Adressattyp Unternehmen);EU-Land;Ort;Land\r\n70001;"ACME GmbH";"DE";Ulm;"DE"\r\n70002;"Beta AG";"";Bern;"CH"\r\n',
    );
    expect(partners).toEqual([
      { internalId: "70001", name: "ACME GmbH", city: "Ulm", country: "DE" },
      { internalId: "70002", name: "Beta AG", city: "Bern", country: "CH" },
    ]);
  });

  it.each([
    "Total;2;",
    "***END OF FILE***;;",
    "FIN2;;",
    "(2 rows affected)",
    "Summe Lieferanten: 2;;",
    "File Creation Time: 0801;;",
    "Anzahl Datensätze: 2",
  ])("45: %j at the end is no partner", async (last) => {
    const { names, skipped, warnings } = await readAll(
      `name;sum;country\nA;1;DE\nB;1;DE\n${last}\n`,
    );
    expect(names).toEqual(["A", "B"]);
    expect(skipped).toEqual([{ line: 4, why: "the end of the file, not a partner", text: last }]);
    expect(warnings).toBe("");
  });

  it("45: a company is no trailer, nor is a line in the middle, and a wrong count is told", async () => {
    const file = "name;city;country\nTotal;;\nTotal SA;Paris;\nTotal;;FR\n";
    expect((await readAll(file)).names).toEqual(["Total", "Total SA", "Total"]);
    expect((await readAll("name;sum\nA;1\nFIN7;\n")).warnings).toContain(
      "The file ends by saying that it has 7 records, but it has 1: line 3.",
    );
  });

  it("46: a file without a header is refused with the way out", async () => {
    const file = "4711,ACME GmbH,DE\n4712,Globex AG,AT\n";
    expect(await refusalOf(file)).toContain("Name its 3 columns with --columns name,country,…");
    const { names } = await readAll(file, { columns: ["id", "name", "country"] });
    expect(names).toEqual(["ACME GmbH", "Globex AG"]);
  });

  it("47: a header alone", async () => {
    const { shape, warnings } = await readAll("name,city\r\n");
    expect(shape.header).toEqual(["name", "city"]);
    expect(warnings).toBe("The file has a header and no records.");
  });

  it("48: of columns with one name the first filled cell counts", async () => {
    const { shape, partners, warnings } = await readAll(
      "Name 1,City,Name 1,City\nA,Ulm,x,y\n,,B,Bonn\n",
    );
    expect(shape.header).toEqual(["Name 1", "City", "Name 1", "City"]);
    expect(partners).toEqual([
      { name: "A", city: "Ulm" },
      { name: "B", city: "Bonn" },
    ]);
    expect(warnings).toContain('names "City" 2 times (columns 2, 4)');
  });

  it("49, 50, 51: nameless, padded and oddly written headers", async () => {
    const { shape, names, warnings } = await readAll("\u00A0NAME* ,, VAT\u200B id\nA,x,y\n");
    expect(shape.mapping).toEqual({ name: [0], vatId: [2] });
    expect(names).toEqual(["A"]);
    expect(warnings).toContain("The header has no name for column 2.");
  });

  it("52, 53: a SAP list with rulings, pipes at both ends and a header on each page", async () => {
    const page = "| Vendor | Name 1    | Ctry |\n|-----------------------|\n";
    const { shape, partners, skipped } = await readAll(
      `Vendor list   Page 1\n-----------------------\n${page}| 4711   | ACME      | DE   |\n-----------------------\nVendor list   Page 2\n${page}| 4712   | Globex    | AT   |\n-----------------------\n`,
      { map: { country: "Ctry" } },
    );
    expect(shape.header).toEqual([" Vendor ", " Name 1    ", " Ctry "]);
    expect(partners).toEqual([
      { internalId: "4711", name: "ACME", country: "DE" },
      { internalId: "4712", name: "Globex", country: "AT" },
    ]);
    expect(skipped.map(({ line, why }) => `${line} ${why}`)).toEqual([
      "1 above the header",
      "2 above the header",
      "4 a ruling",
      "6 a ruling",
      "7 outside the list",
      "8 the header once more",
      "9 a ruling",
      "11 a ruling",
    ]);
  });

  it("53: a pipe in a cell of a SAP list fails its row and shifts nothing", async () => {
    const list = [
      "--------------------------------",
      "|Lieferant|Name 1    |Ort    |Land|",
      "--------------------------------",
      "|100001   |ACME GmbH |Berlin |DE  |",
      "|100002   |Foo | Bar |Bonn   |DE  |",
      "|100003   |Qux       |Ulm    |DE  |",
      "--------------------------------",
    ].join("\n");
    expect((await readAll(list)).names).toEqual(["ACME GmbH", "ROW_TOO_WIDE", "Qux"]);
  });

  it("54: text in columns of fixed width is refused with what to do", async () => {
    expect(
      await refusalOf("Name          City      Country\nACME GmbH     Ulm       DE\n"),
    ).toContain("columns of fixed width");
  });

  it("55: bounds for columns, cells and records", async () => {
    const wide = ["name", ...Array.from({ length: 1000 }, (_, at) => `c${at}`)].join(",");
    expect(await refusalOf(`${wide}\nA\n`)).toContain("1001 columns; at most 1000 are read");
    const long = await readAll(`name,city\nA,${"x".repeat(32_769)}\nB,Ulm\n`);
    expect(long.names).toEqual(["CELL_TOO_LONG", "B"]);
    const huge = await readAll(`name,city\n${"x".repeat(1_100_000)}\nB,Ulm\n`);
    expect(huge.names).toEqual(["ROW_UNREADABLE", "B"]);
  });

  it("56: a name may begin with a number sign", async () => {
    expect((await readAll("name\n#1 Shop Ltd\n")).names).toEqual(["#1 Shop Ltd"]);
  });
});
