import { describe, expect, it } from "vitest";
import { findForeignFormat } from "../../../src/csv/foreign-format.ts";

describe("findForeignFormat", () => {
  it.each([
    ["PK\u0003\u0004....partners.csv", "a ZIP archive"],
    ["PK\u0003\u0004....[Content_Types].xml", "an Excel workbook (.xlsx)"],
    ["PK\u0003\u0004....xl/workbook.xml", "an Excel workbook (.xlsx)"],
    ["\u00D0\u00CF\u0011\u00E0....", "an Excel workbook (.xls)"],
    ["\u001F\u008B\u0008", "a gzip archive"],
    ["%PDF-1.7", "a PDF document"],
  ])("recognises %j", (head, name) => {
    expect(findForeignFormat(Buffer.from(head, "latin1"))?.name).toBe(name);
  });

  it.each([[""], ["name,city\n"], ["PK,xl/\n"], ["%PD"]])("lets %j pass", (head) => {
    expect(findForeignFormat(Buffer.from(head))).toBeUndefined();
  });
});
