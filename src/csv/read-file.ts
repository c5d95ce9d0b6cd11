import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";

const ADVICE: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  EISDIR: "this is a folder, not a file",
  EACCES: "reading it is not permitted",
};

/** Reads up to `sizeBytes` from the beginning of a file. @throws OnboardError exit 2 */
export async function readHead(path: string, sizeBytes: number): Promise<Uint8Array> {
  try {
    const file = await open(path, "r");
    try {
      const head = Buffer.alloc(sizeBytes);
      let length = 0;
      let count = 0;
      do {
        ({ bytesRead: count } = await file.read(head, length, sizeBytes - length));
        length += count;
      } while (count > 0);
      return head.subarray(0, length);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}

/**
 * Reads a file from its beginning.
 * @yields its bytes, at most `chunkBytes` at a time
 * @throws OnboardError exit 2; the signal's reason when it is aborted
 */
export async function* readChunks(
  path: string,
  chunkBytes: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  signal?.throwIfAborted();
  const stream = createReadStream(path, { highWaterMark: chunkBytes });
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      yield chunk;
    }
  } catch (error) {
    throw signal?.aborted === true ? error : unreadable(path, error);
  } finally {
    stream.destroy();
  }
}

function unreadable(path: string, error: unknown): OnboardError {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const why = ADVICE[code] ?? errorText(error);
  return new OnboardError(EXIT.usage, `Cannot read ${path}: ${why}.`, { cause: error });
}
