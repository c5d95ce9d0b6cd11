import { describe, expect, it } from "vitest";
import {
  findForeignFormat,
  findForeignText,
  findWorkbook,
} from "../../../src/csv/foreign-format.ts";

describe("findForeignFormat", () => {
  it.each([
    ["\u00D0\u00CF\u0011\u00E0....", "an Excel workbook (.xls)"],
    ["%PDF-1.7", "a PDF document"],
    ["7z\u00BC\u00AF", "a 7-Zip archive"],
    ["Rar!", "a RAR archive"],
    ["BZh9", "a bzip2 archive"],
    ["PAR1", "a Parquet file"],
    ["PK\u0003\u0004", "a ZIP archive in another archive"],
    ["\u00FF\u00FE\u0000\u0000", "a text in UTF-32"],
  ])("recognises %j", (head, name) => {
    expect(findForeignFormat(Buffer.from(head, "latin1"))?.name).toBe(name);
  });

  it.each([[""], ["name,city\n"], ["PK,xl/\n"], ["%PD"]])("lets %j pass", (head) => {
    expect(findForeignFormat(Buffer.from(head))).toBeUndefined();
  });
});

describe("findWorkbook", () => {
  it("knows a workbook by its members", () => {
    expect(findWorkbook(["[Content_Types].xml", "xl/workbook.xml"])?.name).toContain(".xlsx");
    expect(findWorkbook(["mimetype", "META-INF/manifest.xml"])?.name).toContain("OpenDocument");
    expect(findWorkbook(["partners.csv"])).toBeUndefined();
  });
});

describe("findForeignText", () => {
  it.each([
    ["<!DOCTYPE html>\n<html>", "an HTML page"],
    ["  <table><tr>", "an HTML page"],
    ['<?xml version="1.0"?>', "an XML document"],
    ['{"name": 1}', "a JSON document"],
    ['[\n  {"name": 1}]', "a JSON document"],
    ['["a","b"]', "a JSON document"],
  ])("recognises %j", (text, name) => {
    expect(findForeignText(text)?.name).toBe(name);
  });

  it.each([["name,city\n"], ["[id],name\n"], ["{id};name\n"], ["<name>,city\n"]])(
    "lets %j pass",
    (text) => {
      expect(findForeignText(text)).toBeUndefined();
    },
  );
});
