import { open, writeFile } from "node:fs/promises";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createBlockReader, type ReadPiece } from "../../../src/runs/block-reader.ts";
import { tempFolder } from "../csv/temp-folder.ts";

async function readerOf(content: Buffer): Promise<ReadPiece> {
  const file = path.join(await tempFolder(), "file");
  await writeFile(file, content);
  const handle = await open(file, "r");
  onTestFinished(() => handle.close());
  return createBlockReader(handle);
}

test("pieces are those of the file, in any order, over any blocks, more than stay in memory", async () => {
  const content = Buffer.alloc(40_000_000);
  for (let at = 0; at < content.length; at += 4) content.writeUInt32LE(at, at);
  const read = await readerOf(content);
  const places = Array.from({ length: 4_000 }, (_, index) => (index * 7_919_777) % 39_900_000);
  for (const [index, offset] of places.entries()) {
    const length = (index % 5) * 12_345;
    const piece = await read(offset, length);
    expect(piece.equals(content.subarray(offset, offset + length)), `at ${offset}`).toBe(true);
  }
});

test("a piece ends with the file", async () => {
  const read = await readerOf(Buffer.from("0123456789"));
  expect((await read(7, 10)).toString()).toBe("789");
  expect((await read(10, 5)).length).toBe(0);
  expect((await read(100_000, 5)).length).toBe(0);
});
