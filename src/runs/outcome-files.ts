import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { safeFileName } from "../core/file-name.ts";
import type { OutcomeFile, RowOutcome } from "../core/outcome.ts";
import { toDisk } from "./disk.ts";

/** Takes files out of outcomes and puts them below the run's folder. */
export interface FileStore {
  /**
   * The outcome with the places of its files instead of their content.
   *
   * @throws OnboardError exit 5 when the disk does not take them
   */
  store(outcome: RowOutcome): Promise<RowOutcome>;
}

/** @param dir the run's folder; files go to `files/` in it under names of our own making */
export function createFileStore(dir: string): FileStore {
  async function storeFile(row: number, index: number, file: OutcomeFile): Promise<OutcomeFile> {
    if (file.kind !== "raw") return file;
    const { name, mediaType, base64 } = file;
    const relative = path.posix.join("files", `${row}-${index + 1}-${safeFileName(name)}`);
    const target = path.join(dir, relative);
    await toDisk(target, async () => {
      await mkdir(path.join(dir, "files"), { recursive: true });
      // Both alphabets of base64 occur in ProtoJSON; Buffer reads either.
      await writeFile(target, Buffer.from(base64, "base64"), { flush: true });
    });
    return { kind: "stored", name, mediaType, path: relative };
  }

  return {
    async store(outcome) {
      if (outcome.kind !== "succeeded") return outcome;
      const files: OutcomeFile[] = [];
      for (const [index, file] of outcome.files.entries()) {
        files.push(await storeFile(outcome.row, index, file));
      }
      return { ...outcome, files };
    },
  };
}
