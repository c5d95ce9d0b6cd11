import type { WholeFile } from "../csv/whole-file.ts";
import { createWholeFile } from "../csv/whole-file.ts";

/** results.jsonl being written: lines are gathered before they go to disk. */
export interface JsonlFile {
  /** @param line with its line end. @throws OnboardError exit 5 */
  write(line: string): Promise<void>;
  /** Gives the file its name, also one without lines. @throws OnboardError exit 5 */
  close(): Promise<void>;
  discard(): Promise<void>;
}

const BATCH_LENGTH = 262_144;

/** @param path where the file appears, whole, when it is closed; nothing is opened before the first batch */
export function createJsonlFile(path: string): JsonlFile {
  let opening: Promise<WholeFile> | undefined;
  let lines = "";

  async function flush(): Promise<WholeFile> {
    opening ??= createWholeFile(path);
    const file = await opening;
    const text = lines;
    lines = "";
    await file.append(text);
    return file;
  }

  return {
    async write(line) {
      lines += line;
      if (lines.length >= BATCH_LENGTH) await flush();
    },
    async close() {
      await (await flush()).close();
    },
    async discard() {
      // One that could not be opened left nothing behind, and was told of there.
      await (await opening?.catch(() => undefined))?.discard();
    },
  };
}
