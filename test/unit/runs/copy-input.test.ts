import { createHash } from "node:crypto";
import { appendFile, mkdir, readdir, readFile, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { PassThrough, Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { copyInput } from "../../../src/runs/copy-input.ts";
import { tempFile, tempFolder } from "../csv/temp-folder.ts";
import { refusalOf } from "./run-fixture.ts";

const CSV = "name\nMüller\n";

describe("the copy of an input", () => {
  it("has the bytes of the file, and tells their hash", async () => {
    const outDir = path.join(await tempFolder(), "not", "there", "yet");
    const copy = await copyInput(await tempFile(CSV), outDir);
    expect(copy.sha256).toBe(createHash("sha256").update(CSV).digest("hex"));
    expect(await readFile(copy.path, "utf8")).toBe(CSV);
    expect(path.dirname(copy.path)).toBe(outDir);
  });

  it("moves to its place, makes the folder for it, and leaves nothing behind", async () => {
    const outDir = await tempFolder();
    const copy = await copyInput(await tempFile(CSV), outDir);
    const target = path.join(outDir, "run-1", "input");
    await copy.moveTo(target);
    await copy.discard();
    expect(await readFile(target, "utf8")).toBe(CSV);
    expect(await readdir(outDir)).toEqual(["run-1"]);
  });

  it("replaces what is in its place", async () => {
    const outDir = await tempFolder();
    const target = path.join(outDir, "run-1", "input");
    await mkdir(path.dirname(target));
    await writeFile(target, "name\nold\n");
    const copy = await copyInput(await tempFile(CSV), outDir);
    await copy.moveTo(target);
    expect(await readFile(target, "utf8")).toBe(CSV);
  });

  it("is gone when it is discarded", async () => {
    const outDir = await tempFolder();
    const copy = await copyInput(await tempFile(CSV), outDir);
    await copy.discard();
    await copy.discard();
    expect(await readdir(outDir)).toEqual([]);
  });

  it("may be one of several at a time", async () => {
    const outDir = await tempFolder();
    const file = await tempFile(CSV);
    const copies = await Promise.all([copyInput(file, outDir), copyInput(file, outDir)]);
    expect(new Set(copies.map((copy) => copy.path)).size).toBe(2);
  });
});

describe("an input that cannot be copied", () => {
  it("is exit 2 when it is not there", async () => {
    const file = path.join(await tempFolder(), "missing.csv");
    const error = await refusalOf(copyInput(file, await tempFolder()), 2);
    expect(error.message).toMatch(/^cannot read .*missing\.csv: ENOENT/);
  });

  it("is exit 2 when it is a folder", async () => {
    const error = await refusalOf(copyInput(await tempFolder(), await tempFolder()), 2);
    expect(error.message).toContain("it is a folder");
  });

  it("is exit 2 when it grows meanwhile, and leaves no copy", async () => {
    const outDir = await tempFolder();
    const file = await tempFile("name\n");
    await truncate(file, 16 * 1024 * 1024);
    const copying = refusalOf(copyInput(file, outDir), 2);
    while ((await readdir(outDir)).length === 0) await nextTurn();
    await appendFile(file, "one more\n");
    const error = await copying;
    expect(error.message).toBe(`${file} changed while it was read`);
    expect(error.hint).toContain("run the same command again");
    expect(await readdir(outDir)).toEqual([]);
  });

  it("is exit 5 when the output folder cannot be made", async () => {
    const outDir = path.join(await tempFile("a file"), "out");
    const error = await refusalOf(copyInput(await tempFile(CSV), outDir), 5);
    expect(error.message).toContain(outDir);
    expect(error.hint).toContain("--out");
  });
});

describe("the standard input", () => {
  const signal = new AbortController().signal;

  it("is copied and hashed as a file is", async () => {
    const outDir = await tempFolder();
    const stream = Readable.from([Buffer.from("name\nM"), Buffer.from("üller\n")]);
    const copy = await copyInput("-", outDir, { stream, signal });
    expect(copy.sha256).toBe(createHash("sha256").update(CSV).digest("hex"));
    expect(await readFile(copy.path, "utf8")).toBe(CSV);
  });

  it("is exit 2 when it is a terminal", async () => {
    const stream = Object.assign(Readable.from([]), { isTTY: true });
    const error = await refusalOf(copyInput("-", await tempFolder(), { stream, signal }), 2);
    expect(error.hint).toContain("< partners.csv");
  });

  it("is not waited for when the command is stopped", async () => {
    const reason = new Error("interrupted");
    const outDir = await tempFolder();
    const stdin = { stream: new PassThrough(), signal: AbortSignal.abort(reason) };
    await expect(copyInput("-", outDir, stdin)).rejects.toBe(reason);
    expect(await readdir(outDir)).toEqual([]);
  });
});
