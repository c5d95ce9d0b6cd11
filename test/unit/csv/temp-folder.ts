import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder that is removed when the test ends. */
export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "onboard-csv-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A file with that content, removed when the test ends. */
export async function tempFile(content: string | Uint8Array): Promise<string> {
  const path = join(await tempFolder(), "partners.csv");
  await writeFile(path, content);
  return path;
}
