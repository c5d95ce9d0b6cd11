import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, expect, it } from "vitest";
import type { RowOutcome } from "../../../src/core/outcome.ts";
import type { RunSettings } from "../../../src/core/run-settings.ts";
import type { EarlierAnswers } from "../../../src/runs/earlier-answers.ts";
import { openEarlierAnswers } from "../../../src/runs/earlier-answers.ts";
import { createAnswerKeeper } from "../../../src/runs/keep-answers.ts";
import { tempFolder } from "../csv/temp-folder.ts";
import { failed, needsInput, SETTINGS, succeeded } from "./run-fixture.ts";

const DAY_MS = 86_400_000;

interface Kept {
  readonly stateDir: string;
  /** The folder of the store. */
  readonly folder: string;
  readonly warnings: string[];
  /** Keeps answers as a run does at its end. */
  keep(
    answers: Readonly<Record<string, RowOutcome>>,
    run?: Partial<RunSettings> & { readonly dir?: string; readonly keptMs?: number },
  ): Promise<void>;
  earlier(maxAgeMs?: number, settings?: RunSettings): EarlierAnswers;
  files(): Promise<string[]>;
}

async function openStore(): Promise<Kept> {
  const stateDir = path.join(await tempFolder(), "state");
  const folder = path.join(stateDir, "reuse");
  const warnings: string[] = [];
  return {
    stateDir,
    folder,
    warnings,
    async keep(answers, { dir = stateDir, keptMs = 90 * DAY_MS, ...changes } = {}) {
      const keeper = createAnswerKeeper({
        store: { stateDir, keptMs },
        settings: { ...SETTINGS, ...changes },
        dir,
        warn: (text) => warnings.push(text),
      });
      for (const [text, outcome] of Object.entries(answers)) await keeper.add(text, outcome);
      await keeper.close();
    },
    earlier: (maxAgeMs = 30 * DAY_MS, settings = SETTINGS) =>
      openEarlierAnswers({ stateDir, maxAgeMs, settings }),
    files: () => readdir(folder).catch(() => []),
  };
}

/** A success so long ago. */
function answered(text: string, ageMs = 1_000, row = 1): RowOutcome {
  return succeeded(row, { text, finishedAtMs: Date.now() - ageMs });
}

/** What is found for each text, or nothing. */
async function textsOf(
  earlier: EarlierAnswers,
  ...asked: string[]
): Promise<(string | undefined)[]> {
  const found = await earlier.find(asked.map((text, index) => ({ row: index + 1, text })));
  return asked.map((_, index) => {
    const part = found.find(({ row }) => row === index + 1)?.artifacts[0]?.parts[0];
    return part?.kind === "text" ? part.text : undefined;
  });
}

describe("kept answers", () => {
  it("are found by what was asked, and become outcomes of the row that asks", async () => {
    const store = await openStore();
    const outcome = answered("ACME GmbH, Bonn", 2_000, 4);
    await store.keep({ "Name: ACME": outcome });
    expect(await store.earlier().find([{ row: 9, text: "Name: ACME" }])).toEqual([
      { ...outcome, row: 9, attempts: 0, polls: 0, reusedFrom: SETTINGS.runId },
    ]);
    expect(await store.earlier().find([{ row: 9, text: "Name: Other" }])).toEqual([]);
    const both = ["Name: ACME", "Name: Other"].map((text, row) => ({ row, text }));
    expect(await store.earlier().count(both)).toBe(1);
  });

  it("are for this user alone and do not hold what was asked", async () => {
    const store = await openStore();
    await store.keep({ "Name: ACME": answered("an answer") });
    const [name = ""] = await store.files();
    const file = path.join(store.folder, name);
    expect((await stat(store.folder)).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(await readFile(file, "utf8")).not.toContain("ACME");
  });

  it("are successes that their own run was given, and nothing else", async () => {
    const store = await openStore();
    await store.keep({
      failed: failed(1),
      asks: needsInput(2, "which?"),
      reused: { ...succeeded(3), reusedFrom: "partners-0" },
    });
    expect(await store.files()).toEqual([]);
  });

  it("are another agent's or another form's no longer", async () => {
    const store = await openStore();
    await store.keep({ asked: answered("x") });
    const other = { ...SETTINGS, agentUrl: "https://other.example/" };
    const json = { ...SETTINGS, acceptedOutputModes: ["application/json"] };
    expect(await textsOf(store.earlier(DAY_MS, other), "asked")).toEqual([undefined]);
    expect(await textsOf(store.earlier(DAY_MS, json), "asked")).toEqual([undefined]);
    expect(await textsOf(store.earlier(DAY_MS), "asked")).toEqual(["x"]);
  });

  it("count up to their age, the newest of several runs first", async () => {
    const store = await openStore();
    await store.keep({ a: answered("a, new", DAY_MS), b: answered("b, old", 5 * DAY_MS) });
    await store.keep(
      { a: answered("a, old", 3 * DAY_MS), b: answered("b, new", 2 * DAY_MS) },
      { runId: "partners-2" },
    );
    expect(await textsOf(store.earlier(30 * DAY_MS), "a", "b")).toEqual(["a, new", "b, new"]);
    expect(await textsOf(store.earlier(1.5 * DAY_MS), "a", "b")).toEqual(["a, new", undefined]);
    expect(await textsOf(store.earlier(DAY_MS / 2), "a", "b")).toEqual([undefined, undefined]);
  });

  it("are kept once a run, whatever else it is named below another folder", async () => {
    const store = await openStore();
    await store.keep({ a: answered("first") });
    await store.keep({ a: answered("first"), b: answered("after a retry") });
    expect(await store.files()).toHaveLength(1);
    await store.keep({ c: answered("same id") }, { startedAtMs: SETTINGS.startedAtMs + 1 });
    expect(await store.files()).toHaveLength(2);
    expect(await textsOf(store.earlier(), "a", "b", "c")).toEqual([
      "first",
      "after a retry",
      "same id",
    ]);
  });

  it("bring the content of the agent's files with them", async () => {
    const store = await openStore();
    const dir = await tempFolder();
    await mkdir(path.join(dir, "files"));
    await writeFile(path.join(dir, "files/1-1-a.pdf"), "content");
    const place = { kind: "stored", name: "a.pdf", mediaType: "application/pdf" } as const;
    const there = succeeded(1, {
      files: [{ ...place, path: "files/1-1-a.pdf" }],
      finishedAtMs: Date.now(),
    });
    const gone = succeeded(2, {
      files: [{ ...place, path: "files/2-1-a.pdf" }],
      finishedAtMs: Date.now(),
    });
    await store.keep({ there, gone }, { dir });
    const found = await store.earlier().find([
      { row: 1, text: "there" },
      { row: 2, text: "gone" },
    ]);
    expect(found.map(({ row }) => row)).toEqual([1]);
    expect(found[0]?.artifacts[0]?.parts[1]).toEqual({
      kind: "raw",
      name: "a.pdf",
      mediaType: "application/pdf",
      base64: Buffer.from("content").toString("base64"),
    });
  });

  it("are found among many, over torn and foreign lines", async () => {
    const store = await openStore();
    const many = Array.from({ length: 3_000 }, (_, index) => [`q${index}`, answered(`a${index}`)]);
    await store.keep(Object.fromEntries(many) as Record<string, RowOutcome>);
    await store.keep({ torn: answered("torn") }, { runId: "torn" });
    const torn = path.join(store.folder, `torn.${SETTINGS.startedAtMs}.ndjson`);
    const line = await readFile(torn, "utf8");
    await writeFile(torn, `no JSON\n\n{"key":1}\n${line.slice(0, 120)}\n${line.slice(0, -1)}`);
    await writeFile(path.join(store.folder, "notes.txt"), "not ours\n");
    expect(await textsOf(store.earlier(), "q0", "q1717", "q2999", "torn", "q3000")).toEqual([
      "a0",
      "a1717",
      "a2999",
      undefined,
      undefined,
    ]);
  });

  it("are not taken from a file that another process has removed or replaced meanwhile", async () => {
    const store = await openStore();
    await store.keep({ a: answered("a"), b: answered("a longer one") });
    const earlier = store.earlier();
    expect(await textsOf(earlier, "b")).toEqual(["a longer one"]);
    await store.keep({ b: answered("b") });
    expect(await textsOf(earlier, "b")).toEqual([undefined]);
    await rm(store.folder, { recursive: true });
    expect(await textsOf(earlier, "a")).toEqual([undefined]);
  });
});

describe("the retention of answers", () => {
  it("removes files that are too old when another is written, half written ones too", async () => {
    const store = await openStore();
    await store.keep({ a: answered("a") });
    const [old = ""] = await store.files();
    const half = path.join(store.folder, `${old}.1234.partial`);
    await writeFile(half, "");
    const longAgo = new Date(Date.now() - 3 * DAY_MS);
    for (const file of [path.join(store.folder, old), half]) await utimes(file, longAgo, longAgo);
    expect(await textsOf(store.earlier(2 * DAY_MS), "a")).toEqual([undefined]);
    await store.keep({ b: answered("b") }, { runId: "partners-2", keptMs: 2 * DAY_MS });
    expect(await store.files()).toEqual([`partners-2.${SETTINGS.startedAtMs}.ndjson`]);
  });

  it("0 keeps nothing, and nothing of before", async () => {
    const store = await openStore();
    await store.keep({ a: answered("a") }, { keptMs: 0 });
    expect(await store.files()).toEqual([]);
    await store.keep({ a: answered("a") });
    await store.keep({ b: answered("b") }, { keptMs: 0, runId: "partners-2" });
    expect(await store.files()).toEqual([]);
    expect(store.warnings).toEqual([]);
  });
});

describe("a store that cannot be written", () => {
  it("is one warning", async () => {
    const store = await openStore();
    await mkdir(store.stateDir);
    await writeFile(store.folder, "a file where the folder should be");
    await store.keep({ a: answered("a"), b: answered("b") });
    expect(store.warnings).toHaveLength(1);
    expect(store.warnings[0]).toContain("not kept for --reuse");
  });

  it("leaves nothing behind of answers that are given up", async () => {
    const store = await openStore();
    const keeper = createAnswerKeeper({
      store: { stateDir: store.stateDir, keptMs: DAY_MS },
      settings: SETTINGS,
      dir: store.stateDir,
      warn: (text) => store.warnings.push(text),
    });
    // More than is held in memory.
    for (const text of ["a", "b"]) await keeper.add(text, answered("x".repeat(700_000)));
    expect(await store.files()).toHaveLength(1);
    await keeper.discard();
    expect(await store.files()).toEqual([]);
  });
});
