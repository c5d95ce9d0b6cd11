import { describe, expect, it } from "vitest";
import { OnboardError } from "../../../src/core/errors.ts";
import type { ReadOptions } from "../../../src/core/input.ts";
import { openInput } from "../../../src/csv/read-input.ts";
import { tempFile, tempFolder } from "./temp-folder.ts";

/** Why a file is refused, with its name made short; empty when it is not. */
async function refusal(
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
): Promise<string> {
  try {
    const input = await openInput(await tempFile(content), { map: {}, ...options });
    // Read to the end: some faults are far behind the header.
    for await (const batch of input.rows()) expect(batch.length).toBeGreaterThan(0);
  } catch (error) {
    if (error instanceof OnboardError && error.exitCode === 2) {
      return error.message.replace(/\S*\/partners\.csv/u, "FILE");
    }
    throw error;
  }
  return "";
}

describe("openInput refuses", () => {
  it("a file that is not there or is a folder", async () => {
    const folder = await tempFolder();
    await expect(openInput(`${folder}/none.csv`, { map: {} })).rejects.toThrow(
      "there is no such file",
    );
    await expect(openInput(folder, { map: {} })).rejects.toThrow("this is a folder");
  });

  it("what is no CSV, whatever its name says", async () => {
    expect(await refusal("PK\u0003\u0004xl/workbook.xml")).toBe(
      'FILE: this is an Excel workbook (.xlsx), not a CSV; save the sheet as "CSV UTF-8" in Excel.',
    );
  });

  it("bytes that are not text of the encoding that was given, also far behind the sample", async () => {
    expect(
      await refusal(Buffer.from("name;city\nMüller;Köln\n", "latin1"), { encoding: "utf-8" }),
    ).toBe("FILE:2: these bytes are not UTF-8.");
    const late = Buffer.concat([
      Buffer.from(`name\n${"ACME\n".repeat(20_000)}`),
      Buffer.from([0xff]),
    ]);
    expect(await refusal(late, { encoding: "utf-8" })).toBe(
      "FILE:20002: these bytes are not UTF-8.",
    );
  });

  it("a header that does not tell the name, naming its line", async () => {
    expect(await refusal("\nfoo,bar\n1,2\n")).toMatch(
      /^FILE:2: No column holds the partner's name\. Columns found: foo, bar\./u,
    );
    expect(await refusal("1,2\n", { columns: ["foo", "bar"] })).toMatch(/^FILE: No column holds/u);
  });

  it("a delimiter that cannot be told or used", async () => {
    expect(await refusal("name;x,city\n1;2,3\n")).toContain("FILE: The delimiter may be comma");
    expect(await refusal("name", { delimiter: "::" })).toContain('--delimiter "::"');
    expect(await refusal("name", { delimiter: '"' })).toContain("--delimiter");
  });

  it("a header row that is not there", async () => {
    expect(await refusal("name\n\nA\n", { headerRow: 2 })).toBe(
      "FILE:2: this line is blank; the next record is on line 3.",
    );
    expect(await refusal("name\n", { headerRow: 9 })).toBe(
      "FILE:9: there is no header on this line.",
    );
    expect(await refusal("name\n", { headerRow: 1, columns: ["name"] })).toBe(
      "--columns and --header-row exclude each other.",
    );
  });

  it("a header that cannot be read", async () => {
    expect(await refusal('name,"city\nA,B\n')).toBe(
      "FILE:1: the header cannot be read: A quote is opened and never closed.",
    );
    expect(await refusal("x".repeat(140_000))).toBe(
      "FILE: the header does not end within the first 128 KiB.",
    );
  });
});
