import { type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";

/** A file that grows under another name and appears whole. */
export interface WholeFile {
  /** Adds text behind what is being written already, also when a caller did not wait. @throws OnboardError exit 5 */
  append(text: string): Promise<void>;
  /** Throws when the file was closed or discarded: a defect of the caller. */
  assertOpen(): void;
  /** Makes the file durable and gives it its name. @throws OnboardError exit 5 */
  close(): Promise<void>;
  /** Removes what was written; nothing after `close`. */
  discard(): Promise<void>;
}

/** Begins `<path>.partial`. @throws OnboardError exit 5 when it cannot be made */
export async function createWholeFile(path: string): Promise<WholeFile> {
  const partialPath = `${path}.partial`;
  const file = await orUnavailable(path, open(partialPath, "w"));
  return new GrowingFile(path, partialPath, file);
}

class GrowingFile implements WholeFile {
  private readonly path: string;
  private readonly partialPath: string;
  private readonly file: FileHandle;
  private written: Promise<void> = Promise.resolve();
  private state: "open" | "closed" | "discarded" = "open";

  constructor(path: string, partialPath: string, file: FileHandle) {
    this.path = path;
    this.partialPath = partialPath;
    this.file = file;
  }

  append(text: string): Promise<void> {
    this.assertOpen();
    this.written = this.written.then(() =>
      orUnavailable(this.path, this.file.writeFile(text, "utf8")),
    );
    return this.written;
  }

  assertOpen(): void {
    if (this.state !== "open") throw new Error(`${this.path} is ${this.state}`);
  }

  async close(): Promise<void> {
    if (this.state !== "open") return;
    const { path } = this;
    await this.written;
    await orUnavailable(path, this.file.sync());
    await orUnavailable(path, this.file.close());
    await orUnavailable(path, rename(this.partialPath, path));
    await orUnavailable(path, syncFolder(dirname(path)));
    this.state = "closed";
  }

  async discard(): Promise<void> {
    if (this.state !== "open") return;
    this.state = "discarded";
    // What failed while writing was reported there; here only the leftovers matter.
    await this.written.catch(() => undefined);
    await this.file.close();
    await rm(this.partialPath, { force: true });
  }
}

/** Makes a rename survive a power cut. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r");
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function orUnavailable<T>(path: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new OnboardError(EXIT.unavailable, `Cannot write ${path}: ${errorText(error)}`, {
      hint: "Free space or mend the folder's permissions, then run the same command again: it continues.",
      cause: error,
    });
  }
}
