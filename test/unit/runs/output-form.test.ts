import { readdir, readFile } from "node:fs/promises";
import { parse } from "csv-parse/sync";
import { describe, expect, it } from "vitest";
import type { OutputForm } from "../../../src/core/output-form.ts";
import { formFor } from "../../../src/runs/finish-run.ts";
import { writeOutputs } from "../../../src/runs/write-outputs.ts";
import {
  FORM,
  failed,
  makeRun,
  needsInput,
  type RunFixture,
  SETTINGS,
  succeeded,
} from "./run-fixture.ts";

const READ_AT = "2026-11-30T20:00:00.000Z";

async function write({ folder, plan }: RunFixture, form: Partial<OutputForm>): Promise<void> {
  const { runId } = SETTINGS;
  const options = {
    unprocessed: "PENDING",
    readAt: READ_AT,
    form: { ...FORM, ...form },
  } as const;
  await writeOutputs({ runId, folder, plan, ...options });
}

async function linesOf(run: RunFixture): Promise<Record<string, unknown>[]> {
  const text = await readFile(run.folder.resultsJsonl, "utf8");
  expect(text === "" || text.endsWith("\n")).toBe(true);
  return text
    .split("\n")
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe("--excel", () => {
  it("gives all four files a mark, semicolons and CRLF, with the same cells", async () => {
    const run = await makeRun('name,note\nACME,a;b\nGlobex,"x\ny"\nInitech,007\nHooli,=1\n');
    await run.journal(succeeded(1), failed(2), needsInput(3, "Which?"));
    const { results, failures, needsInput: asking, unprocessed } = run.folder;
    const files = [results, failures, asking, unprocessed];
    const read = async (delimiter: string): Promise<string[][][]> =>
      Promise.all(
        files.map(async (file) => parse(await readFile(file, "utf8"), { bom: true, delimiter })),
      );
    await write(run, {});
    const plain = await read(",");
    await write(run, { excel: true });
    for (const file of files) {
      const text = await readFile(file, "utf8");
      expect(text).toMatch(/^\uFEFFname;note;onboard_run_id;.*\r\n/);
      expect(text.endsWith("\r\n")).toBe(true);
    }
    expect(await read(";")).toEqual(plain);
    expect(plain.map((rows) => rows.length)).toEqual([2, 2, 2, 2]);
  });
});

describe("results.jsonl", () => {
  it("is not made unless it is asked for", async () => {
    const run = await makeRun("name\nACME\n");
    await run.journal(succeeded(1));
    await write(run, {});
    expect(await readdir(run.folder.dir)).not.toContain("results.jsonl");
  });

  it("is there without rows too", async () => {
    const run = await makeRun("name\nACME\n");
    await write(run, { jsonl: true });
    expect(await linesOf(run)).toEqual([]);
  });

  it("has a line for each row of results.csv, with its cells and the whole task", async () => {
    const run = await makeRun('id,name,note\n007,ACME,"two\nlines"\n8,Globex,\n9,ACME,=1\n');
    const label = { name: "a.pdf", mediaType: "application/pdf" };
    await run.journal(
      failed(2),
      succeeded(1, {
        artifacts: [
          {
            name: "one",
            parts: [
              { kind: "data", data: { vat: "DE1", more: [1, null] } },
              { kind: "text", text: "=first" },
              { kind: "stored", ...label, path: "files/1-1-a.pdf" },
            ],
          },
          {
            name: "",
            parts: [
              { kind: "text", text: "second" },
              { kind: "url", ...label, url: "https://x.example/a.pdf" },
            ],
          },
        ],
        message: [{ kind: "text", text: "done" }],
      }),
    );
    await write(run, { jsonl: true });
    const file = { filename: "a.pdf", mediaType: "application/pdf" };
    const first = {
      runId: "partners-1",
      row: 1,
      line: 2,
      input: { id: "007", name: "ACME", note: "two\nlines" },
      outcome: {
        taskId: "task-1",
        contextId: "context-1",
        attempts: 1,
        polls: 2,
        submittedAt: "2026-11-30T20:00:00.000Z",
        finishedAt: "2026-11-30T20:00:04.500Z",
        source: "artifact",
        artifacts: [
          {
            name: "one",
            parts: [
              { data: { vat: "DE1", more: [1, null] } },
              { text: "=first" },
              { path: "files/1-1-a.pdf", ...file },
            ],
          },
          { name: "", parts: [{ text: "second" }, { url: "https://x.example/a.pdf", ...file }] },
        ],
        message: [{ text: "done" }],
      },
      columns: {},
    };
    expect(await linesOf(run)).toEqual([
      first,
      { ...first, row: 3, line: 5, duplicateOf: 1, input: { id: "9", name: "ACME", note: "=1" } },
    ]);
  });

  it("names every column once, whatever it is called", async () => {
    const run = await makeRun("name,__proto__,Note,note\nACME,p,1,2\n");
    await run.journal(succeeded(1));
    await write(run, { jsonl: true });
    const [line = {}] = await linesOf(run);
    expect(Object.entries(line["input"] ?? {})).toEqual([
      ["name", "ACME"],
      ["__proto__", "p"],
      ["Note", "1"],
      ["note_2", "2"],
    ]);
  });

  it("never has the content of a file that was not stored", async () => {
    const run = await makeRun("name\nACME\n");
    const raw = { kind: "raw", name: "a", mediaType: "text/plain", base64: "QQ==" } as const;
    await run.journal(succeeded(1, { files: [raw] }));
    await write(run, { jsonl: true });
    expect(await readFile(run.folder.resultsJsonl, "utf8")).not.toContain("QQ==");
  });

  it("has every row of many, in order", async () => {
    const names = Array.from({ length: 1_500 }, (_, index) => `p${index + 1}`);
    const run = await makeRun(`name\n${names.join("\n")}\n`);
    await run.journal(
      ...names.map((_, index) => succeeded(index + 1, { text: "x".repeat(500) })).toReversed(),
    );
    await write(run, { jsonl: true });
    expect((await linesOf(run)).map(({ row }) => row)).toEqual(names.map((_, index) => index + 1));
  });

  it("that is there once is made again without being asked for", async () => {
    const run = await makeRun("name\nACME\n");
    expect(formFor(run.folder, FORM)).toMatchObject({ jsonl: false });
    await write(run, { jsonl: true });
    expect(formFor(run.folder, FORM)).toMatchObject({ jsonl: true });
  });
});
