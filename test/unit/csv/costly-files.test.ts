import { describe, expect, it } from "vitest";
import { openInput } from "../../../src/csv/read-input.ts";
import { createRecordSplitter } from "../../../src/csv/record-splitter.ts";
import { readAll, refusalOf } from "./read-file-for-tests.ts";
import { tempFile } from "./temp-folder.ts";

/** Far more than each of them takes, far less than it took when every sign was looked at again for every other. */
const LIMIT_MS = 4_000;

async function withinLimit<T>(work: () => Promise<T>): Promise<T> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1_000).toBeLessThan(LIMIT_MS);
  return result;
}

describe("a file that could cost far more than its size", () => {
  it("with a quote wrong in every line is read line by line", async () => {
    const { names } = await withinLimit(() =>
      readAll(`name,city\n${'a","b\n'.repeat(20_000)}x,y\n`),
    );
    expect(names).toHaveLength(20_001);
    expect(new Set(names.slice(0, -1))).toEqual(new Set(["ROW_UNREADABLE"]));
    expect(names.at(-1)).toBe("x");
  });

  it("with a line of strokes that is no ruling has a row", async () => {
    const { names, skipped } = await withinLimit(() =>
      readAll(`name,city\n${"-".repeat(200_000)}\n${"-".repeat(200_000)}x\nACME,Ulm\n`),
    );
    expect(names).toEqual(["CELL_TOO_LONG", "ACME"]);
    expect(skipped).toMatchObject([{ line: 2, why: "a ruling" }]);
  });

  it("with a line that is nearly a trailer has a row", async () => {
    const { names } = await withinLimit(() =>
      readAll(`name,city\nrow count${".".repeat(200_000)}x,\nACME,Ulm\n`),
    );
    expect(names).toEqual(["CELL_TOO_LONG", "ACME"]);
  });

  it("with a first line that is nearly a mail address is refused for its header", async () => {
    const message = await withinLimit(() => refusalOf(`a${"@.".repeat(20_000)} b,c\nd,e\n`));
    expect(message).toContain("FILE:1");
  });

  it("with records as long as allowed gives few at a time", async () => {
    const record = `${"x".repeat(1_000_000)},Ulm\n`;
    const input = await openInput(await tempFile(`name,city\n${record.repeat(10)}`), { map: {} });
    const sizes: number[] = [];
    for await (const batch of input.rows()) sizes.push(batch.length);
    expect(sizes).toEqual([2, 2, 2, 2, 2]);
  });
});

describe("the record splitter", () => {
  it("never cuts a character in two when it gives up a line", () => {
    const splitter = createRecordSplitter({ delimiter: "," });
    const [record] = [...splitter.push(`x${"😀".repeat(600_000)}`), ...splitter.end()];
    expect(record).toMatchObject({ kind: "broken" });
    expect(record?.text.length).toBe(1_048_575);
    expect(record?.text.endsWith("😀")).toBe(true);
  });
});
