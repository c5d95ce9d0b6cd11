import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { parse } from "csv-parse/sync";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type CsvColumn, createCsvFile } from "../../../src/csv/write-csv.ts";
import { tempFolder } from "./temp-folder.ts";

const columns = (...names: string[]): CsvColumn[] =>
  names.map((name) => ({ name, origin: "user" }));

/** The text of a file with those rows. */
async function written(
  header: readonly CsvColumn[],
  rows: readonly (readonly string[])[],
  excel = false,
): Promise<string> {
  const path = join(await tempFolder(), "out.csv");
  const file = await createCsvFile({ path, columns: header, excel });
  for (const row of rows) await file.write(row);
  await file.close();
  return readFile(path, "utf8");
}

describe("a CSV file", () => {
  it("is UTF-8 without a mark, with commas, LF and quotes where RFC 4180 wants them", async () => {
    const text = await written(columns("id", "na,me"), [
      ["1", 'Toys "R" Us'],
      ["2", "Zürich\nOst"],
      ["", " x "],
    ]);
    expect(text).toBe('id,"na,me"\n1,"Toys ""R"" Us"\n2,"Zürich\nOst"\n, x \n');
  });

  it("has a mark, semicolons and CRLF for Excel", async () => {
    const text = await written(columns("id", "name"), [["1", "a;b,c"]], true);
    expect(text).toBe('\uFEFFid;name\r\n1;"a;b,c"\r\n');
  });

  it("has quotes around line breaks of every kind, not only its own", async () => {
    const row = ["a\nb", "c\rd", "e\r\nf"];
    expect(await written(columns("x", "y", "z"), [row])).toContain('\n"a\nb","c\rd","e\r\nf"\n');
    expect(await written(columns("x", "y", "z"), [row], true)).toContain(
      '\r\n"a\nb";"c\rd";"e\r\nf"\r\n',
    );
  });

  it("has its header even without rows", async () => {
    expect(await written(columns("id", "name"), [])).toBe("id,name\n");
  });

  it("makes the agent's cells harmless and no others", async () => {
    const text = await written(
      [
        { name: "=user", origin: "user" },
        { name: "=agent", origin: "agent" },
        { name: "ours", origin: "ours" },
      ],
      [
        ["=1", "=1", "-1"],
        ["+49", "plain", "@"],
      ],
    );
    expect(text).toBe("=user,=agent,ours\n=1,'=1,-1\n+49,plain,@\n");
  });

  it("gives a lone empty cell and a cell that begins with a mark back", async () => {
    expect(await written(columns("only"), [[""], ["x"]])).toBe('"only"\n""\n"x"\n');
    expect(await written(columns("\uFEFFid", "b"), [["\uFEFFx", ""]])).toBe(
      '"\uFEFFid",b\n"\uFEFFx",\n',
    );
  });

  it("is read back by csv-parse as it was, whatever the cells", async () => {
    const cell = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom('"', ",", ";", "\n", "\r", "\r\n", "\uFEFF", " ", "a") }),
    );
    const table = fc
      .integer({ min: 1, max: 4 })
      .chain((width) =>
        fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1 }),
      );
    await fc.assert(
      fc.asyncProperty(table, fc.boolean(), async (rows, excel) => {
        const [header = [], ...data] = rows;
        const text = await written(columns(...header), data, excel);
        const read = parse(text, {
          bom: true,
          delimiter: excel ? ";" : ",",
          record_delimiter: excel ? "\r\n" : "\n",
        });
        expect(read).toEqual(rows);
      }),
      { numRuns: 100 },
    );
  });

  it("keeps rows in order when nobody waits, and tells when to wait", async () => {
    const path = join(await tempFolder(), "out.csv");
    const file = await createCsvFile({ path, columns: columns("row") });
    const waits: Promise<void>[] = [];
    for (let row = 1; row <= 1000; row += 1) {
      const wait = file.write([String(row)]);
      if (wait !== undefined) waits.push(wait);
    }
    await file.close();
    await Promise.all(waits);
    expect(waits).toHaveLength(3);
    const rows = parse(await readFile(path, "utf8"), { columns: true });
    expect(rows).toEqual(Array.from({ length: 1000 }, (_, index) => ({ row: String(index + 1) })));
  });

  it("asks to wait when few rows are large", async () => {
    const path = join(await tempFolder(), "out.csv");
    const file = await createCsvFile({ path, columns: columns("text") });
    expect(file.write(["small"])).toBeUndefined();
    await expect(file.write(["x".repeat(300_000)])).resolves.toBeUndefined();
    await file.discard();
  });

  it("appears whole when it is closed and not before", async () => {
    const folder = await tempFolder();
    const path = join(folder, "out.csv");
    await writeFile(path, "old\n");
    const file = await createCsvFile({ path, columns: columns("new") });
    await file.write(["1"]);
    expect(await readFile(path, "utf8")).toBe("old\n");
    expect(await readdir(folder)).toEqual(["out.csv", "out.csv.partial"]);
    await file.close();
    await file.close();
    expect(await readFile(path, "utf8")).toBe('"new"\n"1"\n');
    expect(await readdir(folder)).toEqual(["out.csv"]);
    await file.discard();
    expect(await readdir(folder)).toEqual(["out.csv"]);
  });

  it("leaves nothing behind when it is discarded", async () => {
    const folder = await tempFolder();
    const file = await createCsvFile({ path: join(folder, "out.csv"), columns: columns("a") });
    await file.write(["1"]);
    await file.discard();
    await file.discard();
    await file.close();
    expect(await readdir(folder)).toEqual([]);
    expect(() => file.write(["2"])).toThrow("discarded");
  });

  it("refuses a row that does not fit its columns", async () => {
    const path = join(await tempFolder(), "out.csv");
    const file = await createCsvFile({ path, columns: columns("a", "b") });
    expect(() => file.write(["1"])).toThrow("a row of 1 cells for 2 columns");
    await file.discard();
  });

  it("says what to do when the disk does not take it", async () => {
    const folder = await tempFolder();
    const missing = createCsvFile({ path: join(folder, "none", "out.csv"), columns: columns("a") });
    await expect(missing).rejects.toMatchObject({
      exitCode: 5,
      hint: expect.stringContaining("again"),
    });
    // A folder of that name cannot be replaced by the file.
    const path = join(folder, "taken");
    await mkdir(join(path, "inside"), { recursive: true });
    const file = await createCsvFile({ path, columns: columns("a") });
    await expect(file.close()).rejects.toMatchObject({ exitCode: 5 });
    await file.discard();
    expect(await readdir(folder)).toEqual(["taken"]);
  });
});
