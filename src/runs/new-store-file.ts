import { randomUUID } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { mkdir, open, rename, rm } from "node:fs/promises";
import path from "node:path";

/** A file that takes the place of another, or none, when it is whole. */
export interface NewStoreFile {
  append(line: string): Promise<void>;
  /** Without any line it changes nothing. */
  publish(): Promise<void>;
  /** Never rejects. */
  discard(): Promise<void>;
}

const BUFFER_LENGTH = 1_048_576;

/** Folder and file are for this user alone. */
export function createStoreFile(file: string): NewStoreFile {
  const partial = `${file}.${randomUUID()}.partial`;
  let handle: FileHandle | undefined;
  let lines: string[] = [];
  let length = 0;

  async function flush(): Promise<void> {
    if (handle === undefined) {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      handle = await open(partial, "wx", 0o600);
    }
    await handle.appendFile(lines.join(""));
    lines = [];
    length = 0;
  }

  return {
    async append(line) {
      lines.push(line);
      length += line.length;
      if (length >= BUFFER_LENGTH) await flush();
    },
    async publish() {
      if (lines.length > 0) await flush();
      if (handle === undefined) return;
      await handle.sync();
      await handle.close();
      handle = undefined;
      await rename(partial, file);
    },
    async discard() {
      lines = [];
      // What does not close or go now is old one day, and removed then.
      await handle?.close().catch(() => undefined);
      await rm(partial, { force: true }).catch(() => undefined);
    },
  };
}
