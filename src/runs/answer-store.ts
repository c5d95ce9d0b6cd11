import { readdir, rm, stat } from "node:fs/promises";
import path from "node:path";
import type { RunSettings } from "../core/run-settings.ts";

/** Where this host keeps the answers of earlier runs, and for how long. */
export interface AnswerStore {
  /** This host's state folder. */
  readonly stateDir: string;
  /** 0 for not at all. */
  readonly keptMs: number;
}

/** Not `answers`, which holds what was paid for while Redis was away. */
const FOLDER = "reuse";
const ENDING = ".ndjson";

/** The folder of the store. */
function storeFolder(stateDir: string): string {
  return path.join(stateDir, FOLDER);
}

/** The file of a run; runs of the same id below different output folders began at different times. */
export function storeFileOf(
  stateDir: string,
  { runId, startedAtMs }: Pick<RunSettings, "runId" | "startedAtMs">,
): string {
  return path.join(storeFolder(stateDir), `${runId}.${startedAtMs}${ENDING}`);
}

/** The files of the store that were written since a moment; none when there is no store. */
export async function listStoreFiles(stateDir: string, sinceMs: number): Promise<string[]> {
  const files = await allFiles(stateDir);
  return files
    .filter(({ file, writtenAtMs }) => writtenAtMs >= sinceMs && file.endsWith(ENDING))
    .map(({ file }) => file);
}

/** Removes what was written before a moment, also what a killed process left half written. */
export async function pruneStore(stateDir: string, beforeMs: number): Promise<void> {
  const files = await allFiles(stateDir);
  const old = files.filter(({ writtenAtMs }) => writtenAtMs < beforeMs);
  await Promise.all(old.map(({ file }) => rm(file, { force: true })));
}

async function allFiles(
  stateDir: string,
): Promise<readonly { readonly file: string; readonly writtenAtMs: number }[]> {
  const dir = storeFolder(stateDir);
  const names = await readdir(dir).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => {
      const file = path.join(dir, name);
      // Another process may have removed it meanwhile.
      const stats = await stat(file).catch(() => undefined);
      return stats?.isFile() === true ? [{ file, writtenAtMs: stats.mtimeMs }] : [];
    }),
  );
  return found.flat();
}
