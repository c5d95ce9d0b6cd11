import { createReadStream } from "node:fs";

/** A line of a file without its line end, with its place. */
export interface PlacedBytes {
  readonly bytes: Buffer;
  readonly offset: number;
}

const LINE_END = 0x0a;
const CHUNK_BYTES = 262_144;

/**
 * The whole lines of a file; what stands behind the last line end is torn and no line. None when there is no file.
 *
 * @yields each line; its bytes are good until the next one
 */
export async function* readPlacedLines(file: string): AsyncIterable<PlacedBytes> {
  let carry: Buffer[] = [];
  let offset = 0;
  for await (const chunk of streamOf(file)) {
    let from = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, from)) {
      const rest = chunk.subarray(from, end);
      const bytes = carry.length === 0 ? rest : Buffer.concat([...carry, rest]);
      yield { bytes, offset };
      offset += bytes.length + 1;
      carry = [];
      from = end + 1;
    }
    carry.push(chunk.subarray(from));
  }
}

async function* streamOf(file: string): AsyncIterable<Buffer> {
  try {
    // Without an encoding a stream gives buffers.
    for await (const chunk of createReadStream(file, { highWaterMark: CHUNK_BYTES })) {
      yield Buffer.from(chunk);
    }
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith("ENOENT")) throw error;
  }
}
