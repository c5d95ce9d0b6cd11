import { execFileSync } from "node:child_process";
import { appendFile, readFile, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { outcomeLine } from "../../../src/core/journal.ts";
import {
  indexOutcomes,
  openJournal,
  readOutcomes,
  readReopened,
} from "../../../src/runs/journal-file.ts";
import { tempFolder } from "../csv/temp-folder.ts";
import { failed, HEADER, refusalOf, succeeded } from "./run-fixture.ts";

async function journalPath(): Promise<string> {
  return path.join(await tempFolder(), "journal.ndjson");
}

async function readRows(file: string): Promise<number[]> {
  const rows: number[] = [];
  for await (const { outcome } of readOutcomes(file)) rows.push(outcome.row);
  return rows;
}

/** Opens, appends and closes, as one start of the program does. */
async function append(file: string, ...rows: number[]): Promise<void> {
  const journal = await openJournal(file, HEADER);
  await journal.append(rows.map((row) => JSON.stringify(succeeded(row))));
  await journal.close();
}

const HEADER_LINE = `${JSON.stringify(HEADER)}\n`;

function lineOf(row: number): string {
  return `${outcomeLine(JSON.stringify(succeeded(row)))}\n`;
}

describe("a journal", () => {
  it("begins with the run's header, once, and grows by whole lines", async () => {
    const file = await journalPath();
    await append(file, 1, 2);
    await append(file, 3);
    expect(await readFile(file, "utf8")).toBe(HEADER_LINE + lineOf(1) + lineOf(2) + lineOf(3));
  });

  it("takes no outcomes without harm", async () => {
    const file = await journalPath();
    await append(file);
    expect(await readFile(file, "utf8")).toBe(HEADER_LINE);
  });

  it.each([
    ["short", '{"type":"outcome","outco'],
    ["longer than what is read at a time", `{"type":"outcome","x":"${"x".repeat(200_000)}`],
  ])("loses a torn last line that is %s, and nothing else", async (_what, torn) => {
    const file = await journalPath();
    await append(file, 1, 2);
    await appendFile(file, torn);
    await append(file, 3);
    expect(await readFile(file, "utf8")).toBe(HEADER_LINE + lineOf(1) + lineOf(2) + lineOf(3));
  });

  it("is begun again when not even its header was written whole", async () => {
    const file = await journalPath();
    await writeFile(file, HEADER_LINE.slice(0, 20));
    await append(file, 1);
    expect(await readFile(file, "utf8")).toBe(HEADER_LINE + lineOf(1));
  });

  it("keeps every whole line, wherever the disk cut it", async () => {
    const file = await journalPath();
    await append(file, 1, 2);
    const whole = await readFile(file);
    const ends = [HEADER_LINE, HEADER_LINE + lineOf(1)].map((text) => Buffer.byteLength(text));
    await fc.assert(
      fc.asyncProperty(fc.nat(whole.length - 1), async (sizeBytes) => {
        await writeFile(file, whole);
        await truncate(file, sizeBytes);
        await append(file, 9);
        const kept = ends.filter((end) => end <= sizeBytes).length;
        expect(await readRows(file)).toEqual(kept === 2 ? [1, 9] : [9]);
      }),
      { numRuns: 40 },
    );
  });
});

describe("a disk that does not take the journal", () => {
  it("is exit 5 with what to do", async () => {
    const file = path.join(await tempFolder(), "no-such-folder", "journal.ndjson");
    const error = await refusalOf(openJournal(file, HEADER), 5);
    expect(error.message).toContain(file);
    expect(error.hint).toContain("run the same command again");
  });

  it("is exit 5 when the journal cannot be taken up", async () => {
    const error = await refusalOf(openJournal("/dev/full", HEADER), 5);
    expect(error.message).toMatch(/^cannot write \/dev\/full: ENOSPC/);
  });

  it("is exit 5 at an append, too", async () => {
    const journal = await openJournal(await journalPath(), HEADER);
    await journal.close();
    const error = await refusalOf(journal.append([JSON.stringify(succeeded(1))]), 5);
    expect(error.message).toMatch(/^cannot write /);
  });

  it.runIf(process.platform === "linux")(
    "takes everything when there is room again, though it had taken a part",
    async () => {
      const file = await journalPath();
      const journal = await openJournal(file, HEADER);
      const two = [succeeded(1), succeeded(2)].map((outcome) => JSON.stringify(outcome));
      // Room for the first outcome and half of the second.
      const roomBytes = Buffer.byteLength(HEADER_LINE + lineOf(1)) + 50;
      limitFileSize(String(roomBytes));
      try {
        await refusalOf(journal.append(two), 5);
      } finally {
        limitFileSize("unlimited");
      }
      await journal.append(two);
      await journal.close();
      expect(await readFile(file, "utf8")).toBe(HEADER_LINE + lineOf(1) + lineOf(2));
    },
  );
});

const LIMITER = "prlimit";

/** Lets files of this process grow no larger, as a full disk does. */
function limitFileSize(soft: string): void {
  execFileSync(LIMITER, ["--pid", String(process.pid), `--fsize=${soft}:`]);
}

describe("the outcomes of a journal", () => {
  it("are none when there is no journal", async () => {
    expect(await readRows(await journalPath())).toEqual([]);
  });

  it("come in the journal's order, each with its place", async () => {
    const file = await journalPath();
    await append(file, 3, 1);
    const bytes = await readFile(file);
    const found: string[] = [];
    for await (const { outcome, offset, length } of readOutcomes(file)) {
      found.push(bytes.toString("utf8", offset, offset + length));
      expect(outcome).toEqual(succeeded(outcome.row));
    }
    expect(found.map((line) => `${line}\n`)).toEqual([lineOf(3), lineOf(1)]);
  });

  it("leave out damaged lines and a last one without its end", async () => {
    const file = await journalPath();
    const half = lineOf(4).slice(0, -1);
    await writeFile(file, `${HEADER_LINE}${lineOf(1)}\u0000\u0000\n{"type\n\nnull\n${lineOf(2)}`);
    await appendFile(file, half);
    expect(await readRows(file)).toEqual([1, 2]);
  });

  it("may be longer than what is read at a time, in letters of several bytes", async () => {
    const file = await journalPath();
    const journal = await openJournal(file, HEADER);
    const long = [1, 2, 3].map((row) => succeeded(row, { text: "Müller 会社 ".repeat(30_000) }));
    await journal.append(long.map((outcome) => JSON.stringify(outcome)));
    await journal.close();
    const index = await indexOutcomes(file);
    expect(await index.read(3)).toEqual(long[2]);
    expect(await index.read(1)).toEqual(long[0]);
    await index.close();
  });

  it("are not taken for none when the journal cannot be read", async () => {
    const folder = await tempFolder();
    await expect(readRows(folder)).rejects.toThrow("EISDIR");
  });
});

describe("the index of a journal", () => {
  it("gives each row's outcome, the last one when there are several", async () => {
    const file = await journalPath();
    const journal = await openJournal(file, HEADER);
    const outcomes = [failed(2), succeeded(1), succeeded(2)];
    await journal.append(outcomes.map((outcome) => JSON.stringify(outcome)));
    await journal.close();
    const index = await indexOutcomes(file);
    expect(await index.read(1)).toEqual(succeeded(1));
    expect(await index.read(2)).toEqual(succeeded(2));
    expect(await index.read(3)).toBeUndefined();
    expect(await index.read(1_000_000)).toBeUndefined();
    await index.close();
  });

  it("grows with the rows, in whatever order they ended", async () => {
    const file = await journalPath();
    const rows = [1, 1_023, 1_024, 9_000, 5, 9_001, 40_000];
    await append(file, ...rows);
    const index = await indexOutcomes(file);
    for (const row of rows) expect(await index.read(row)).toEqual(succeeded(row));
    expect(await index.read(2)).toBeUndefined();
    await index.close();
  });

  it("knows nothing when there is no journal", async () => {
    const index = await indexOutcomes(await journalPath());
    expect(await index.read(1)).toBeUndefined();
    await index.close();
  });

  it("knows nothing of a row whose line was damaged since", async () => {
    const file = await journalPath();
    await append(file, 1);
    const index = await indexOutcomes(file);
    await writeFile(file, HEADER_LINE.padEnd(HEADER_LINE.length + lineOf(1).length, "x"));
    expect(await index.read(1)).toBeUndefined();
    await index.close();
  });
});

describe("rows that are sent again", () => {
  it("have no outcome until there is a later one, which replaces the earlier", async () => {
    const file = await journalPath();
    const journal = await openJournal(file, HEADER);
    const write = async (...outcomes: readonly unknown[]): Promise<void> =>
      journal.append(outcomes.map((outcome) => JSON.stringify(outcome)));
    await write(succeeded(1), succeeded(2, { contextId: "first" }), succeeded(3));
    await journal.appendRetry({ round: 1, rows: [2, 3] });
    expect(await readRows(file)).toEqual([1]);
    await write(succeeded(2, { contextId: "second" }));
    expect(await readRows(file)).toEqual([1, 2]);
    const index = await indexOutcomes(file);
    expect(await index.read(2)).toMatchObject({ contextId: "second" });
    expect(await index.read(3)).toBeUndefined();
    await index.close();
    await journal.appendRetry({ round: 2, rows: [2] });
    await journal.close();
    expect(await readRows(file)).toEqual([1]);
    const rounds = Array.from(await readReopened(file), ([row, { round }]) => [row, round]);
    expect(rounds).toEqual([
      [2, 2],
      [3, 1],
    ]);
  });
});
