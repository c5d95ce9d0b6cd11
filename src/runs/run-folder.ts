import { existsSync } from "node:fs";
import { open, readdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { JournalHeader } from "../core/journal.ts";
import { parseJournalLine } from "../core/journal.ts";
import { parseOwnJson } from "../core/own-json.ts";
import { isSettled } from "../core/progress.ts";
import type { RunSummaryFile } from "../core/summary.ts";

/** Where the files of one run are. */
export interface RunFolder {
  readonly dir: string;
  readonly input: string;
  readonly journal: string;
  readonly summary: string;
  readonly report: string;
  readonly files: string;
  readonly results: string;
  readonly resultsJsonl: string;
  readonly failures: string;
  readonly needsInput: string;
  readonly unprocessed: string;
}

/** @param outDir absolute */
export function runFolder(outDir: string, runId: string): RunFolder {
  const dir = path.join(outDir, runId);
  const file = (name: string): string => path.join(dir, name);
  return {
    dir,
    input: file("input"),
    journal: file("journal.ndjson"),
    summary: file("summary.json"),
    report: file("report.html"),
    files: file("files"),
    results: file("results.csv"),
    resultsJsonl: file("results.jsonl"),
    failures: file("failures.csv"),
    needsInput: file("needs-input.csv"),
    unprocessed: file("unprocessed.csv"),
  };
}

/** What the disk knows about a run. */
export interface RunOnDisk {
  readonly runId: string;
  readonly header: JournalHeader | undefined;
  readonly summary: RunSummaryFile | undefined;
}

/** The runs whose folders lie in `outDir`; none when there is no such folder. */
export async function listRunsOnDisk(outDir: string): Promise<readonly RunOnDisk[]> {
  if (!existsSync(outDir)) return [];
  const entries = await readdir(outDir, { withFileTypes: true });
  const found = await Promise.all(
    entries.filter((entry) => entry.isDirectory()).map(({ name }) => readRunOnDisk(outDir, name)),
  );
  return found.filter(({ header, summary }) => header !== undefined || summary !== undefined);
}

export async function readRunOnDisk(outDir: string, runId: string): Promise<RunOnDisk> {
  const folder = runFolder(outDir, runId);
  const [header, summary] = await Promise.all([
    readJournalHeader(folder.journal),
    readSummary(folder.summary),
  ]);
  return { runId, header, summary };
}

/** A settled summary counts for ever; undefined when there is none, or one of a run that goes on. */
export function settledSummary({ summary }: RunOnDisk): RunSummaryFile | undefined {
  return summary !== undefined && isSettled(summary.status) ? summary : undefined;
}

/** Names of the files that a run's folder offers, sorted; none when there is no such folder. */
export async function listOutputFiles(dir: string): Promise<readonly string[]> {
  const names = await readdir(dir).catch(() => []);
  return names.filter((name) => !/^input$|\.partial$/.test(name)).toSorted();
}

async function readJournalHeader(file: string): Promise<JournalHeader | undefined> {
  const handle = await open(file, "r").catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    for await (const line of handle.readLines()) {
      const parsed = parseJournalLine(line);
      return parsed?.type === "run" ? parsed : undefined;
    }
    return undefined;
  } finally {
    await handle.close();
  }
}

type SummaryOnDisk = Omit<RunSummaryFile, "reused"> & Partial<Pick<RunSummaryFile, "reused">>;

async function readSummary(file: string): Promise<RunSummaryFile | undefined> {
  try {
    // Summaries of earlier versions do not tell what was reused.
    return { reused: 0, ...parseOwnJson<SummaryOnDisk>(await readFile(file, "utf8")) };
  } catch {
    return undefined;
  }
}
