import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { InputRow, ReadOptions } from "../../../src/core/input.ts";
import { MAX_CELL_LENGTH } from "../../../src/core/partner-cells.ts";
import { type OpenInput, openInput } from "../../../src/csv/read-input.ts";
import { tempFile } from "./temp-folder.ts";

const SAMPLE = new URL("../../../samples/partners.csv", import.meta.url).pathname;

async function rowsOf(input: OpenInput): Promise<InputRow[]> {
  const rows: InputRow[] = [];
  for await (const batch of input.rows()) rows.push(...batch);
  return rows;
}

async function read(content: string | Uint8Array, options: Partial<ReadOptions> = {}) {
  const input = await openInput(await tempFile(content), { map: {}, ...options });
  return { shape: input.shape, rows: await rowsOf(input) };
}

/** The row's name, or why it has none. */
const outcome = (row: InputRow) => (row.kind === "partner" ? row.partner.name : row.failure.reason);

describe("the sample file", () => {
  it("is mapped wholly by its header names", async () => {
    const input = await openInput(SAMPLE, { map: {} });
    expect(input.shape).toEqual({
      encoding: "utf-8",
      delimiter: ",",
      headerLine: 1,
      header: [
        "id",
        "name",
        "country",
        "city",
        "postal_code",
        "street",
        "house_number",
        "vat_id",
        "website",
      ],
      mapping: {
        internalId: [0],
        name: [1],
        country: [2],
        city: [3],
        postalCode: [4],
        street: [5],
        houseNumber: [6],
        vatId: [7],
        website: [8],
      },
      ignoredColumns: [],
      warnings: [],
      skipped: [],
      reasons: {
        encoding: "the whole file is valid UTF-8",
        delimiter:
          "it cuts the header into 9 columns, 9 of them known by name, and 41 of the first 41 records alike",
        header: "line 1 is the first",
      },
    });
  });

  it("holds about 40 partners of at least 8 countries, all of them good", async () => {
    const rows = await rowsOf(await openInput(SAMPLE, { map: {} }));
    const partners = rows.flatMap((row) => (row.kind === "partner" ? [row.partner] : []));
    expect(partners).toHaveLength(rows.length);
    expect(partners.length).toBeGreaterThanOrEqual(40);
    expect(new Set(partners.map(({ country }) => country)).size).toBeGreaterThanOrEqual(8);
    expect(partners.some(({ name }) => name.includes(","))).toBe(true);
    expect(partners).toContainEqual({
      internalId: "1004",
      name: "Boehringer Ingelheim GmbH",
      country: "DE",
      city: "Bieberach",
    });
  });
});

describe("openInput", () => {
  it("numbers records from one and names their physical lines", async () => {
    const { rows } = await read('\nname;city\n\n"A\nCME";Ulm\n\nUmbrella;Bonn');
    expect(rows).toEqual([
      {
        kind: "partner",
        row: 1,
        line: 4,
        cells: ["A\nCME", "Ulm"],
        partner: { name: "A CME", city: "Ulm" },
      },
      {
        kind: "partner",
        row: 2,
        line: 7,
        cells: ["Umbrella", "Bonn"],
        partner: { name: "Umbrella", city: "Bonn" },
      },
    ]);
  });

  it("reads UTF-8 with a byte order mark before a quoted header", async () => {
    const { shape, rows } = await read('\uFEFF"name","city"\n"Müller","Ulm"\n');
    expect(shape.header).toEqual(["name", "city"]);
    expect(rows[0]).toMatchObject({ partner: { name: "Müller" } });
  });

  it("reads files with CR alone and with CRLF", async () => {
    expect((await read("name,city\rA,B\rC,D\r")).rows.map(outcome)).toEqual(["A", "C"]);
    expect((await read("name,city\r\nA,B\r\nC,D\r\n")).rows.map(outcome)).toEqual(["A", "C"]);
  });

  it("honours the encoding that was given", async () => {
    const { shape, rows } = await read(Buffer.from("name;city\nMüller;Köln\n", "latin1"), {
      encoding: "latin1",
    });
    expect(shape.encoding).toBe("windows-1252");
    expect(rows.map(outcome)).toEqual(["Müller"]);
    const utf16 = await read(Buffer.from("\uFEFFname\tcity\r\nMüller\tKöln\r\n", "utf16le"), {
      encoding: "utf-16le",
    });
    expect(utf16.rows.map(outcome)).toEqual(["Müller"]);
  });

  it("honours the delimiter that was given, by character or by word", async () => {
    expect((await read("name#city\nA#B\n", { delimiter: "#" })).rows.map(outcome)).toEqual(["A"]);
    expect((await read("name\tci,ty\nA\tB\n", { delimiter: "tab" })).rows.map(outcome)).toEqual([
      "A",
    ]);
    expect((await read("name\tci,ty\nA\tB\n", { delimiter: String.raw`\t` })).shape.delimiter).toBe(
      "\t",
    );
  });

  it("takes the header from the line that was given", async () => {
    const { shape, rows } = await read('Our "partners\nas of today\nname,city\nA,B\n', {
      headerRow: 3,
    });
    expect(shape.headerLine).toBe(3);
    expect(rows).toMatchObject([{ row: 1, line: 4, partner: { name: "A" } }]);
  });

  it("takes column names for a file without a header", async () => {
    const { shape, rows } = await read("7;ACME, Inc;DE\n8;Umbrella;US\n", {
      columns: ["id", "name", "country"],
    });
    expect(shape).toMatchObject({
      headerLine: 0,
      header: ["id", "name", "country"],
      delimiter: ";",
    });
    expect(rows).toMatchObject([
      { row: 1, line: 1, partner: { name: "ACME, Inc" } },
      { row: 2, line: 2, partner: { name: "Umbrella" } },
    ]);
  });

  it("reads a file that is fed back without the columns of this program", async () => {
    const { shape, rows } = await read(
      "onboard_run_id,name,onboard_text,city,note,onboard_reason\nr,ACME,t,Ulm,x,y\nr,,t\nr,A,t,B,x,y,,\nr,A,t,B,x,y,z\n",
    );
    expect(shape).toMatchObject({
      header: ["name", "city", "note"],
      mapping: { name: [0], city: [1] },
      ignoredColumns: ["note"],
      warnings: [],
    });
    expect(rows.map(({ cells }) => cells)).toEqual([
      ["ACME", "Ulm", "x"],
      ["", "", ""],
      ["A", "B", "x"],
      ["A", "B", "x"],
    ]);
    expect(rows.map(outcome)).toEqual(["ACME", "NAME_MISSING", "ROW_TOO_WIDE", "ROW_TOO_WIDE"]);
  });

  it("keeps every bad record with its reason and goes on behind it", async () => {
    const { rows } = await read(
      [
        "id,name,city",
        "1,Pavlova, Ltd.,Ulm",
        "2",
        "3,,Ulm",
        '4,"Lost,Ulm',
        '5,"x" y,Ulm,z',
        `6,ACME,${"x".repeat(MAX_CELL_LENGTH + 1)}`,
        '7,"C" Street,Ulm',
        "8,Last",
      ].join("\n"),
    );
    expect(rows.map(outcome)).toEqual([
      "ROW_TOO_WIDE",
      "ROW_TOO_NARROW",
      "NAME_MISSING",
      "ROW_UNREADABLE",
      "ROW_UNREADABLE",
      "CELL_TOO_LONG",
      '"C" Street',
      "Last",
    ]);
    expect(rows[0]).toEqual({
      kind: "bad",
      row: 1,
      line: 2,
      cells: ["1", "Pavlova", " Ltd."],
      failure: {
        reason: "ROW_TOO_WIDE",
        message:
          'The record has 4 cells, the header names 3; a cell that holds the delimiter must be in quotes. Cell 3 looks like the end of cell 2: "Pavlova, Ltd." belongs in quotes.',
      },
      raw: "1,Pavlova, Ltd.,Ulm",
    });
    expect(rows[3]).toMatchObject({ row: 4, line: 5, cells: ["", "", ""], raw: '4,"Lost,Ulm' });
    expect(rows[7]).toMatchObject({ cells: ["8", "Last", ""] });
  });

  it("ignores delimiters too many at the end of rows", async () => {
    const { rows } = await read("name,city\nA,B,,,\n");
    expect(rows).toMatchObject([{ kind: "partner", cells: ["A", "B"] }]);
  });

  it("finds nothing wrong with a file that has no records", async () => {
    expect(await read("")).toMatchObject({
      rows: [],
      shape: { header: [], mapping: {}, warnings: ["The file is empty."] },
    });
    expect((await read("\uFEFF\r\n")).shape.warnings).toEqual(["The file is empty."]);
    expect((await read("name,city\n")).shape.warnings).toEqual([
      "The file has a header and no records.",
    ]);
    const named = await read("", { columns: ["name"] });
    expect(named).toMatchObject({
      rows: [],
      shape: { header: ["name"], warnings: ["The file is empty."] },
    });
  });

  it("reads the file anew for each call, in batches of up to 500", async () => {
    const lines = Array.from({ length: 1201 }, (_, index) => `Partner ${index}`);
    const input = await openInput(await tempFile(`name\n${lines.join("\n")}`), { map: {} });
    const sizes: number[] = [];
    for await (const batch of input.rows()) sizes.push(batch.length);
    expect(sizes).toEqual([500, 500, 201]);
    expect(await rowsOf(input)).toEqual(await rowsOf(input));
  });

  it("stops between batches when it is told to", async () => {
    const input = await openInput(await tempFile(`name\n${"ACME\n".repeat(50_000)}`), { map: {} });
    const controller = new AbortController();
    const reason = new Error("enough");
    const reading = async () => {
      for await (const batch of input.rows(controller.signal)) {
        if (batch.length > 0) controller.abort(reason);
      }
    };
    await expect(reading()).rejects.toBe(reason);
    await expect(reading()).rejects.toBe(reason);
  });

  it("gives the same rows whatever the size of what it reads at a time", async () => {
    const part = fc.constantFrom('"', '""', ",", "\n", "\r\n", "ü", "😀", "ACME", " ", "東");
    const text = fc.array(part, { maxLength: 60 }).map((parts) => `name,city\n${parts.join("")}`);
    await fc.assert(
      fc.asyncProperty(text, fc.integer({ min: 1, max: 7 }), async (content, chunkBytes) => {
        const path = await tempFile(content);
        const options: ReadOptions = { map: {}, delimiter: "," };
        const whole = await rowsOf(await openInput(path, options));
        expect(await rowsOf(await openInput(path, options, { chunkBytes }))).toEqual(whole);
      }),
      { numRuns: 60 },
    );
  });
});
