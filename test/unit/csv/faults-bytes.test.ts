import { gzipSync } from "node:zlib";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zipOf } from "../../helpers/zip-archive.ts";
import { bytesOf, readAll, refusalOf } from "./read-file-for-tests.ts";

const CP850 = { é: 0x82, ä: 0x84, ö: 0x94, ü: 0x81, ß: 0xe1 };
const MAC = { ü: 0x9f, ö: 0x9a, ä: 0x8a };
const TABLE = "name;city\nMüller;Köln\nACME;Bonn\n";
const utf16 = (text: string): Buffer => Buffer.from(text, "utf16le");

describe("bytes and encodings", () => {
  it("1, 2: a byte order mark is no part of the first header, quoted or not", async () => {
    expect((await readAll("\uFEFFname,city\nA,B\n")).shape.header).toEqual(["name", "city"]);
    expect((await readAll('\uFEFF"name","city"\nA,B\n')).shape.header).toEqual(["name", "city"]);
  });

  it("3: a byte order mark in the middle, where files were joined, is no part of a name", async () => {
    const { names, skipped } = await readAll("name,city\nA,B\n\uFEFFname,city\n\uFEFFC,D\n");
    expect(names).toEqual(["A", "C"]);
    expect(skipped).toEqual([{ line: 3, why: "the header once more", text: "\uFEFFname,city" }]);
  });

  it("4: UTF-16 with its mark, both ways round", async () => {
    const little = utf16("\uFEFFname\tcity\r\nMüller\tŁódź\r\n");
    const big = Buffer.from(little).swap16();
    for (const [bytes, encoding] of [
      [little, "utf-16le"],
      [big, "utf-16be"],
    ] as const) {
      const { shape, partners } = await readAll(bytes);
      expect(shape).toMatchObject({ encoding, delimiter: "\t" });
      expect(partners).toEqual([{ name: "Müller", city: "Łódź" }]);
    }
  });

  it("5: UTF-16 without its mark is told by its NULs", async () => {
    const little = utf16("name;city\nMüller;Łódź\n");
    expect((await readAll(little)).partners).toEqual([{ name: "Müller", city: "Łódź" }]);
    const big = Buffer.from(little).swap16();
    expect((await readAll(big)).shape).toMatchObject({ encoding: "utf-16be" });
  });

  it("6: what is not UTF-8 is read in the fallback, with a notice and three cells", async () => {
    const bytes = Buffer.from(
      "name;city\nM\xfcller;K\xf6ln\nA\x96B;X\n\xc4ra;Y\nSt\xfcck;Z\n",
      "latin1",
    );
    const { shape, names, warnings } = await readAll(bytes);
    expect(shape.encoding).toBe("windows-1252");
    expect(names).toEqual(["Müller", "A–B", "Ära", "Stück"]);
    expect(warnings).toContain("not UTF-8 (line 2, 3, 4, 5); it is read as windows-1252");
    expect(warnings).toContain('"Müller", "A–B", "Ära"');
  });

  it("6: a letter far behind the beginning counts as much", async () => {
    const bytes = Buffer.concat([
      Buffer.from(`name\n${"ACME\n".repeat(60_000)}`),
      Buffer.from("M\xfcller\n", "latin1"),
    ]);
    expect((await readAll(bytes)).names.at(-1)).toBe("Müller");
  });

  it("7: another fallback can be configured, and any label given", async () => {
    const bytes = bytesOf("name\nKowal³\n", { "³": 0xb3 });
    expect((await readAll(bytes, { fallbackEncoding: "iso-8859-2" })).names).toEqual(["Kowalł"]);
    expect((await readAll(bytes, { encoding: "windows-1250" })).names).toEqual(["Kowalł"]);
    expect(
      (
        await readAll(Uint8Array.of(0x6e, 0x61, 0x6d, 0x65, 0x0a, 0xa4), {
          encoding: "iso-8859-15",
        })
      ).names,
    ).toEqual(["€"]);
  });

  it("8: code page 850 is pointed out, and read when it is named", async () => {
    const bytes = bytesOf(TABLE, CP850);
    expect(await refusalOf(bytes)).toContain(
      "They look right as cp850 (code page 850 or 437 of DOS). Say --encoding cp850",
    );
    expect((await readAll(bytes, { encoding: "cp850" })).names).toEqual(["Müller", "ACME"]);
    expect((await readAll(bytes, { encoding: "ibm437" })).shape.encoding).toBe("cp437");
  });

  it("9: Mac Roman is pointed out, and read when it is named", async () => {
    const bytes = bytesOf("name;city\nMüller;Kärnten\n", MAC);
    expect(await refusalOf(bytes)).toContain("--encoding macintosh");
    expect((await readAll(bytes, { encoding: "macintosh" })).names).toEqual(["Müller"]);
  });

  it("10: a file in two encodings is decoded line by line, with a notice", async () => {
    const bytes = Buffer.concat([
      Buffer.from("\uFEFFname;city\nMüller;Łódź\n"),
      Buffer.from("Stra\xdfer;M\xfcnchen\r\nA\x80;B\n", "latin1"),
    ]);
    const { shape, partners, warnings } = await readAll(bytes);
    expect(shape.encoding).toBe("utf-8+windows-1252");
    expect(partners).toEqual([
      { name: "Müller", city: "Łódź" },
      { name: "Straßer", city: "München" },
      { name: "A€", city: "B" },
    ]);
    expect(warnings).toContain("in two encodings: 2 lines are not UTF-8 (line 3, 4)");
  });

  it("11, 12: text that was encoded twice, or lost, is pointed out and sent as it stands", async () => {
    const { names, warnings } = await readAll("name\nMÃ¼ller\nA\nB â€“ C\nM\uFFFDller\n");
    expect(names).toEqual(["MÃ¼ller", "A", "B â€“ C", "M\uFFFDller"]);
    expect(warnings).toContain("2 places look as if the text had been encoded twice");
    expect(warnings).toContain("line 2, 4.");
    expect(warnings).toContain("1 places hold the sign � for a letter that was lost");
    expect((await readAll("name\nSÃO PAULO\nÃÃO\n")).warnings).not.toContain("line 2");
  });

  it("13: other scripts are refused instead of turned into Latin letters", async () => {
    const gbk = Uint8Array.of(0xb1, 0xb1, 0xbe, 0xa9, 0xb9, 0xab, 0xcb, 0xbe);
    const bytes = Buffer.concat([Buffer.from("name\n"), gbk, Buffer.from("\n")]);
    expect(await refusalOf(bytes)).toContain("not those of a Western encoding");
    expect((await readAll(bytes, { encoding: "gbk" })).names).toEqual(["北京公司"]);
  });

  it("16, 17: NULs and other control characters are not sent, the output keeps them", async () => {
    const { records, partners, warnings } = await readAll("name,city\nAC\0ME,Ulm\nB,C\x1A\n\x1A");
    expect(partners).toEqual([
      { name: "AC ME", city: "Ulm" },
      { name: "B", city: "C" },
    ]);
    expect(records[0]?.cells[0]).toBe("AC\0ME");
    expect(warnings).toContain("Control characters in a cell are not sent: 2 times, line 2, 3.");
    expect(warnings).toContain("Lines without any text are left out: line 4.");
  });

  it("18: gzip, and a ZIP archive with one real member", async () => {
    expect((await readAll(gzipSync(TABLE))).names).toEqual(["Müller", "ACME"]);
    const mac = { "__MACOSX/._p.csv": "x", ".hidden": "x", "folder/": "", "folder/p.csv": TABLE };
    const { shape, names } = await readAll(zipOf(mac));
    expect(names).toEqual(["Müller", "ACME"]);
    expect(shape.reasons.encoding).toContain("zip, member folder/p.csv");
    expect((await readAll(zipOf({ "p.csv": TABLE }, { isStored: true }))).names).toHaveLength(2);
    expect((await readAll(zipOf({ "p.csv": TABLE, "liesmich.pdf": "x" }))).names).toHaveLength(2);
    expect((await readAll(zipOf({ "p.csv": "" }, { isStored: true }))).names).toEqual([]);
  });

  it("18: other archives are refused with their members", async () => {
    expect(await refusalOf(zipOf({ "a.csv": "x", "b.csv": "y" }))).toContain(
      "holds 2 files (a.csv, b.csv)",
    );
    expect(await refusalOf(zipOf({ "__MACOSX/x": "x" }))).toContain("holds no file");
    expect(await refusalOf(zipOf({ "p.csv": TABLE }, { isEncrypted: true }))).toContain("password");
    expect(await refusalOf(zipOf({ "p.csv": TABLE }, { crc: 1 }))).toContain("damaged");
    const zip = zipOf({ "p.csv": TABLE });
    expect(await refusalOf(zip.subarray(0, zip.length - 30))).toContain(
      "list of members is missing",
    );
    expect(await refusalOf(gzipSync(TABLE).subarray(0, 30))).toContain("archive is damaged");
  });

  it("18: an archive that unpacks to far more than it is is not read", async () => {
    const bomb = gzipSync(Buffer.alloc(80 * 1024 * 1024, "a\n"), { level: 9 });
    expect(await refusalOf(bomb)).toContain("more than 250 times its size");
  });

  it("19: what is no CSV is named, whatever its name says", async () => {
    const book = { "[Content_Types].xml": "x", "xl/workbook.xml": "x" };
    expect(await refusalOf(zipOf(book))).toContain("an Excel workbook (.xlsx)");
    expect(await refusalOf(zipOf({ mimetype: "x", "META-INF/manifest.xml": "x" }))).toContain(
      "an OpenDocument file",
    );
    expect(await refusalOf(gzipSync("%PDF-1.7"))).toContain("a PDF document");
    expect(await refusalOf("<html><table>")).toContain("an HTML page");
    expect(await refusalOf('[{"name": "ACME"}]')).toContain("a JSON document");
    expect(await refusalOf(Uint8Array.from({ length: 400 }, (_, at) => (at * 7) % 20))).toContain(
      "binary data",
    );
  });

  it("22: a file without anything has no rows and says so", async () => {
    for (const content of ["", "\uFEFF", "\n \r\n", gzipSync("")]) {
      const { names, warnings } = await readAll(content);
      expect(names).toEqual([]);
      expect(warnings).toBe("The file is empty.");
    }
  });
});

describe("14, 15: the size of what is read at a time", () => {
  const parts = ["ü", "東", "😀", '"', '""', ",", "\n", "\r\n", "\r", "ACME", " ", "Ł"];
  const text = fc
    .array(fc.constantFrom(...parts), { maxLength: 60 })
    .map((some) => `name,city\n${some.join("")}`);
  const encoded = fc.oneof(
    text.map((one) => Buffer.from(one)),
    text.map((one) => Buffer.from(`\uFEFF${one}`, "utf16le")),
    text.map((one) =>
      Buffer.concat([Buffer.from(one), Buffer.from("\nM\xfcller,K\xf6ln", "latin1")]),
    ),
    text.map((one) => gzipSync(one)),
  );

  it("changes nothing, and no U+FFFD is made", async () => {
    await fc.assert(
      fc.asyncProperty(encoded, fc.integer({ min: 1, max: 7 }), async (bytes, chunkBytes) => {
        const options = { delimiter: "," };
        const whole = await readAll(bytes, options);
        const pieces = await readAll(bytes, options, chunkBytes);
        expect(pieces.records).toEqual(whole.records);
        expect(pieces.warnings).toBe(whole.warnings);
        expect(pieces.skipped).toEqual(whole.skipped);
        expect(JSON.stringify(whole.records)).not.toContain("\uFFFD");
      }),
      { numRuns: 100 },
    );
  });
});
