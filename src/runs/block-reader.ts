import type { FileHandle } from "node:fs/promises";

const BLOCK_BYTES = 16_384;
/** 32 MiB in memory. */
const MAX_BLOCKS = 2_048;

/** The bytes of a piece of a file; fewer where the file ends. */
export type ReadPiece = (offset: number, length: number) => Promise<Buffer>;

/**
 * Reads small pieces of a file that lie near one another, in any order: the file is read in blocks,
 * of which those used last stay in memory.
 */
export function createBlockReader(file: FileHandle): ReadPiece {
  /** In the order of their last use. */
  const blocks = new Map<number, Buffer>();

  async function blockAt(index: number): Promise<Buffer> {
    const block = blocks.get(index) ?? (await readBlock(file, index));
    blocks.delete(index);
    blocks.set(index, block);
    const [oldest] = blocks.keys();
    if (blocks.size > MAX_BLOCKS && oldest !== undefined) blocks.delete(oldest);
    return block;
  }

  return async (offset, length) => {
    const parts: Buffer[] = [];
    for (let at = offset; at < offset + length; ) {
      const start = at % BLOCK_BYTES;
      const block = await blockAt((at - start) / BLOCK_BYTES);
      const part = block.subarray(start, start + offset + length - at);
      if (part.length === 0) break;
      parts.push(part);
      at += part.length;
    }
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  };
}

async function readBlock(file: FileHandle, index: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(BLOCK_BYTES);
  const { bytesRead } = await file.read(block, 0, BLOCK_BYTES, index * BLOCK_BYTES);
  return block.subarray(0, bytesRead);
}
