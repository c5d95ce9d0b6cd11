import { readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, test, vi } from "vitest";
import type { Reading } from "../helpers/hard-partners.ts";
import { HARD_TABLE, openHardStage } from "../helpers/hard-partners.ts";
import { openLibreOffice } from "../helpers/libre-office.ts";

// Many commands one after the other, and LibreOffice between them.
vi.setConfig({ testTimeout: 300_000 });

const FORMS = [
  { form: "as they are", words: [], delimiter: "," },
  { form: "with --excel", words: ["--excel"], delimiter: ";" },
] as const;

/** A spreadsheet has one kind of line break in a cell, which is one blank in the message whichever it is. */
function withOneBreak({ own, ...reading }: Reading): Reading {
  return { ...reading, own: own.map((cells) => cells.map(oneBreak)) };
}

function oneBreak(cell: string): string {
  return cell.replaceAll(/\r\n?/g, "\n");
}

describe.each(FORMS)("failures, needs-input and unprocessed $form", ({ words, delimiter }) => {
  test("come back from a spreadsheet the same when all columns are imported as text", async (context) => {
    const office = await openLibreOffice(context);
    const hard = await openHardStage(context);
    const original = withOneBreak(await hard.original());
    const files = await hard.feedBackFiles(...words);
    const paths = files.map((file) => file.path);
    const manner = { delimiter, allText: true };
    for (const saved of await office.toCsv(paths, manner)) {
      expect(withOneBreak(await hard.read(saved)), saved).toEqual(original);
    }
    for (const saved of await office.viaWorkbook(paths.slice(0, 1), manner)) {
      expect(withOneBreak(await hard.read(saved)), saved).toEqual(original);
    }
  });

  test("lose zeros, digits and formulas when the spreadsheet guesses, and are read all the same", async (context) => {
    const office = await openLibreOffice(context);
    const hard = await openHardStage(context);
    const [failures] = await hard.feedBackFiles(...words);
    const paths = [failures?.path ?? ""];
    const [saved = ""] = await office.toCsv(paths, { delimiter, allText: false });
    const { own, messages } = await hard.read(saved);
    expect(messages).toHaveLength(HARD_TABLE.length - 1);
    expect(own[0]).toEqual(HARD_TABLE[0]);
    const column = (name: string): (string | undefined)[] =>
      own.slice(1).map((cells) => cells[HARD_TABLE[0]?.indexOf(name) ?? -1]);
    expect(column("name").map((name) => oneBreak(name ?? ""))).toEqual(
      HARD_TABLE.slice(1).map((cells) => oneBreak(cells[1] ?? "")),
    );
    // These four are what docs/output-files.md warns of.
    expect(column("id").slice(0, 2)).toEqual(["123", "7"]);
    expect(column("PLZ")[0]).toBe("1067");
    expect(column("registration number")[0]).toMatch(/^1[.,]23\d*E\+/);
    expect(column("Notiz")[0]).toBe("2");
    // A rounded number is none: it is not sent.
    expect(messages.filter((message) => message.includes("E+"))).toEqual([]);
  });
});

describe.each(FORMS)("results.csv $form", ({ words, delimiter }) => {
  test("has the same cells in a spreadsheet when all columns are imported as text", async (context) => {
    const office = await openLibreOffice(context);
    const hard = await openHardStage(context);
    const results = await hard.results(...words);
    const [saved = ""] = await office.toCsv([results], { delimiter, allText: true });
    const cells = await cellsOf(results, delimiter);
    expect(cells).toHaveLength(HARD_TABLE.length);
    expect(await cellsOf(saved, delimiter)).toEqual(cells);
  });
});

async function cellsOf(file: string, delimiter: string): Promise<string[][]> {
  const records: string[][] = parse(await readFile(file, "utf8"), { bom: true, delimiter });
  return records.map((cells) => cells.map(oneBreak));
}
