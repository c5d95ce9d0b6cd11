import type { FileHandle } from "node:fs/promises";
import { codePageOf } from "../core/code-pages.ts";

/** A member of a ZIP archive, as its central directory has it (APPNOTE 6.3.10, 4.3.12). */
export interface ZipMember {
  readonly name: string;
  readonly isEncrypted: boolean;
  /** 0 stored, 8 deflated. */
  readonly method: number;
  readonly crc32: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  /** Where its local header begins. */
  readonly headerAt: number;
}

export type ZipDirectory =
  | { readonly kind: "members"; readonly members: readonly ZipMember[] }
  | { readonly kind: "unreadable"; readonly why: string };

const END_MARK = 0x06054b50;
const ENTRY_MARK = 0x02014b50;
const LOCAL_MARK = 0x04034b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;
const LOCAL_BYTES = 30;
/** The end record may be followed by a comment of 64 KiB. */
const MAX_TAIL_BYTES = END_BYTES + 0xffff;
const MAX_DIRECTORY_BYTES = 16 * 1024 * 1024;
const IN_ZIP64 = 0xffffffff;

/** Reads the list of a ZIP archive's members, in bounded memory. */
export async function readZipDirectory(file: FileHandle): Promise<ZipDirectory> {
  const { size } = await file.stat();
  const tailBytes = Math.min(size, MAX_TAIL_BYTES);
  const tail = await readAt(file, size - tailBytes, tailBytes);
  const at = lastEndRecord(tail);
  if (at === undefined) return { kind: "unreadable", why: "its list of members is missing" };
  const sizeBytes = tail.readUInt32LE(at + 12);
  const start = tail.readUInt32LE(at + 16);
  if (start === IN_ZIP64 || sizeBytes > MAX_DIRECTORY_BYTES) {
    return { kind: "unreadable", why: "it is too large" };
  }
  if (start + sizeBytes > size) return { kind: "unreadable", why: "it is cut off" };
  return { kind: "members", members: readEntries(await readAt(file, start, sizeBytes)) };
}

/** Where the bytes of a member begin; `undefined` when its header is not there. */
export async function findMemberStart(
  file: FileHandle,
  { headerAt }: ZipMember,
): Promise<number | undefined> {
  const header = await readAt(file, headerAt, LOCAL_BYTES);
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_MARK) return undefined;
  return headerAt + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await file.read(bytes, 0, length, position);
  return bytes.subarray(0, bytesRead);
}

function lastEndRecord(tail: Buffer): number | undefined {
  for (let at = tail.length - END_BYTES; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) === END_MARK) return at;
  }
  return undefined;
}

function readEntries(directory: Buffer): ZipMember[] {
  const members: ZipMember[] = [];
  let at = 0;
  while (at + ENTRY_BYTES <= directory.length && directory.readUInt32LE(at) === ENTRY_MARK) {
    const nameLength = directory.readUInt16LE(at + 28);
    const flags = directory.readUInt16LE(at + 8);
    members.push({
      name: memberName(
        directory.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameLength),
        (flags & 0x800) !== 0,
      ),
      isEncrypted: (flags & 1) !== 0,
      method: directory.readUInt16LE(at + 10),
      crc32: directory.readUInt32LE(at + 16),
      packedBytes: directory.readUInt32LE(at + 20),
      unpackedBytes: directory.readUInt32LE(at + 24),
      headerAt: directory.readUInt32LE(at + 42),
    });
    const extraLength = directory.readUInt16LE(at + 30);
    const commentLength = directory.readUInt16LE(at + 32);
    at += ENTRY_BYTES + nameLength + extraLength + commentLength;
  }
  return members;
}

function memberName(bytes: Buffer, isUtf8: boolean): string {
  if (isUtf8) return bytes.toString("utf8");
  const { upper } = codePageOf("cp437") ?? { upper: "" };
  return [...bytes]
    .map((byte) => (byte < 0x80 ? String.fromCharCode(byte) : (upper[byte - 0x80] ?? "")))
    .join("");
}
