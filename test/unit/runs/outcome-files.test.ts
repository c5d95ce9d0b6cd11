import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { OutcomeFile } from "../../../src/core/outcome.ts";
import { createFileStore } from "../../../src/runs/outcome-files.ts";
import { tempFolder } from "../csv/temp-folder.ts";
import { failed, needsInput, succeeded } from "./run-fixture.ts";

function raw(name: string, base64: string): OutcomeFile {
  return { kind: "raw", name, mediaType: "application/pdf", base64 };
}

function storedAt(name: string, place: string): OutcomeFile {
  return { kind: "stored", name, mediaType: "application/pdf", path: place };
}

describe("a file that came with an answer", () => {
  it("is put below files/ and named by its place from then on", async () => {
    const dir = await tempFolder();
    const outcome = succeeded(7, { files: [raw("report.pdf", "JVBERi0=")] });
    const stored = await createFileStore(dir).store(outcome);
    expect(stored).toEqual(
      succeeded(7, {
        files: [
          {
            kind: "stored",
            name: "report.pdf",
            mediaType: "application/pdf",
            path: "files/7-1-report.pdf",
          },
        ],
      }),
    );
    expect(await readFile(path.join(dir, "files", "7-1-report.pdf"), "utf8")).toBe("%PDF-");
  });

  it("keeps its place among the artifacts, parts and the message it came with", async () => {
    const dir = await tempFolder();
    const text = { kind: "text", text: "see" } as const;
    const data = { kind: "data", data: { base64: "QQ==", kind: "raw" } } as const;
    const stored = await createFileStore(dir).store(
      succeeded(3, {
        artifacts: [
          { name: "one", parts: [text, raw("a", "QQ=="), data] },
          { name: "two", parts: [raw("b", "Qg==")] },
        ],
        message: [raw("c", "Qw=="), text],
      }),
    );
    expect(stored).toMatchObject({
      artifacts: [
        { name: "one", parts: [text, storedAt("a", "files/3-1-a"), data] },
        { name: "two", parts: [storedAt("b", "files/3-2-b")] },
      ],
      message: [storedAt("c", "files/3-3-c"), text],
    });
    expect(await readFile(path.join(dir, "files/3-3-c"), "utf8")).toBe("C");
  });

  it("may be in either alphabet of base64, with or without padding", async () => {
    const dir = await tempFolder();
    const files = [raw("a", "+/+/AA=="), raw("b", "-_-_AA")];
    await createFileStore(dir).store(succeeded(1, { files }));
    const bytes = Buffer.from([0xfb, 0xff, 0xbf, 0x00]);
    expect(await readFile(path.join(dir, "files/1-1-a"))).toEqual(bytes);
    expect(await readFile(path.join(dir, "files/1-2-b"))).toEqual(bytes);
  });

  it("stays inside the folder, whatever the agent calls it", async () => {
    const parent = await tempFolder();
    const dir = path.join(parent, "run");
    const files = ["../../evil", "/etc/passwd", ""].map((name) => raw(name, "QQ=="));
    await createFileStore(dir).store(succeeded(1, { files }));
    expect(await readdir(parent)).toEqual(["run"]);
    expect(await readdir(dir)).toEqual(["files"]);
    expect((await readdir(path.join(dir, "files"))).toSorted()).toEqual([
      "1-1-evil",
      "1-2-etc_passwd",
      "1-3-file",
    ]);
  });

  it("never takes the place of another with the same name", async () => {
    const dir = await tempFolder();
    const store = createFileStore(dir);
    await store.store(succeeded(1, { files: [raw("a", "QQ=="), raw("a", "Qg==")] }));
    await store.store(succeeded(2, { files: [raw("a", "Qw==")] }));
    expect((await readdir(path.join(dir, "files"))).toSorted()).toEqual([
      "1-1-a",
      "1-2-a",
      "2-1-a",
    ]);
  });

  it("that is only a link is kept as one and never fetched", async () => {
    const dir = await tempFolder();
    const link: OutcomeFile = { kind: "url", name: "a", mediaType: "", url: "https://x.example/a" };
    const outcome = succeeded(1, { files: [link] });
    expect(await createFileStore(dir).store(outcome)).toEqual(outcome);
    expect(await readdir(dir)).toEqual([]);
  });
});

it("leaves outcomes without files as they are", async () => {
  const store = createFileStore(await tempFolder());
  for (const outcome of [failed(1), needsInput(2, "Which?"), succeeded(3)]) {
    expect(await store.store(outcome)).toEqual(outcome);
  }
});
