import { createHash, randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { isAlive } from "../redis/process-identity.ts";

/** A private copy of the input: whatever happens to the original, the run reads this. */
export interface InputCopy {
  /** Where it is until it is moved. */
  readonly path: string;
  readonly sha256: string;
  /** Moves the copy to its place, where it replaces what is there. */
  moveTo(file: string): Promise<void>;
  discard(): Promise<void>;
}

/** The file name that stands for the standard input. */
export const STDIN = "-";

/** The standard input, and what ends the wait for it. */
interface StandardInput {
  readonly stream: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly signal: AbortSignal;
}

/**
 * Copies a file below the output folder and hashes it on the way.
 *
 * @param stdin what `-` is; without it `-` is a file like others
 * @throws OnboardError exit 2 when the file cannot be read or changes meanwhile, exit 5 when the
 * output folder cannot be written; the signal's reason when it is aborted
 */
export async function copyInput(
  file: string,
  outDir: string,
  stdin?: StandardInput,
): Promise<InputCopy> {
  if (file === STDIN && stdin !== undefined) return copyStdin(stdin, outDir);
  const before = await statInput(file);
  const copy = await copyStream(createReadStream(file), { outDir, name: file });
  const after = await statInput(file);
  if (before.size !== after.size || before.mtimeMs !== after.mtimeMs || before.ino !== after.ino) {
    await copy.discard();
    throw new OnboardError(EXIT.usage, `${file} changed while it was read`, {
      hint: "wait until its export has ended, then run the same command again",
    });
  }
  return copy;
}

async function copyStdin({ stream, signal }: StandardInput, outDir: string): Promise<InputCopy> {
  if (stream.isTTY === true) {
    throw new OnboardError(EXIT.usage, "- stands for the standard input, and that is a terminal", {
      hint: "give the partners by a pipe or with < partners.csv, or name the file",
    });
  }
  try {
    return await copyStream(stream, { outDir, name: "the standard input", signal });
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  }
}

interface Copying {
  readonly outDir: string;
  /** Named in errors. */
  readonly name: string;
  readonly signal?: AbortSignal;
}

async function copyStream(
  source: NodeJS.ReadableStream,
  { outDir, name, signal }: Copying,
): Promise<InputCopy> {
  const copy = path.join(outDir, `.incoming-${process.pid}-${randomUUID()}`);
  const hash = createHash("sha256");
  const hashing = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  try {
    await mkdir(outDir, { recursive: true });
    await removeLeftCopies(outDir);
    const options = signal === undefined ? {} : { signal };
    await pipeline(source, hashing, createWriteStream(copy, { flush: true }), options);
  } catch (error) {
    // Where no file can be made, none can be looked for either.
    await rm(copy, { force: true }).catch(() => undefined);
    throw new OnboardError(
      EXIT.unavailable,
      `cannot copy ${name} to ${outDir}: ${errorText(error)}`,
      {
        hint: "check the disk's free space and the folder's permissions, or choose another with --out",
        cause: error,
      },
    );
  }
  return {
    path: copy,
    sha256: hash.digest("hex"),
    async moveTo(target) {
      await mkdir(path.dirname(target), { recursive: true });
      await rename(copy, target);
      await syncFolder(path.dirname(target));
    },
    discard: () => rm(copy, { force: true }),
  };
}

/** Copies of processes that were killed before they could use them. */
async function removeLeftCopies(outDir: string): Promise<void> {
  for (const name of await readdir(outDir)) {
    const pid = /^\.incoming-(?<pid>\d+)-/.exec(name)?.groups?.["pid"];
    if (pid !== undefined && !(await isAlive(Number(pid)))) {
      await rm(path.join(outDir, name), { force: true });
    }
  }
}

async function statInput(file: string): Promise<{ size: number; mtimeMs: number; ino: number }> {
  try {
    const found = await stat(file);
    if (found.isDirectory()) throw new Error("it is a folder");
    const handle = await open(file, "r");
    await handle.close();
    return found;
  } catch (error) {
    throw new OnboardError(EXIT.usage, `cannot read ${file}: ${errorText(error)}`, {
      hint: "give the path of a partner file",
      cause: error,
    });
  }
}

/** Makes a rename in a folder last through a power loss. */
async function syncFolder(dir: string): Promise<void> {
  const handle = await open(dir, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
