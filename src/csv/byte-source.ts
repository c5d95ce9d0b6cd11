import { createReadStream, type ReadStream } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { pipeline, type Transform } from "node:stream";
import { crc32, createGunzip, createInflateRaw } from "node:zlib";
import { errorText } from "../core/errors.ts";
import { findWorkbook } from "./foreign-format.ts";
import { readChunks, readHead } from "./read-file.ts";
import { refuse } from "./refuse.ts";
import { findMemberStart, readZipDirectory, type ZipMember } from "./zip-directory.ts";

/** The bytes of a partner file, unpacked if need be. */
export interface ByteSource {
  /** For people: what the file was packed in; empty for a plain one. */
  readonly packing: string;
  /**
   * The bytes from the beginning; each call reads them anew.
   * @throws OnboardError exit 2; the signal's reason when it is aborted
   */
  chunks(chunkBytes: number, signal?: AbortSignal): AsyncIterable<Uint8Array>;
}

/** Where a file is, and what errors call it. */
export interface InputPlace {
  readonly path: string;
  readonly name: string;
}

/** More than this is never unpacked: 8 GiB. */
const MAX_UNPACKED_BYTES = 8 * 1024 ** 3;
/** Text packs to a tenth, monotonous text to a hundredth; an archive beyond that is no partner file. */
const MAX_RATIO = 250;
const FREE_BYTES = 64 * 1024 ** 2;

/** Opens a file, a gzip archive, or the one real member of a ZIP archive, told by its first bytes. @throws OnboardError exit 2 */
export async function openBytes(place: InputPlace): Promise<ByteSource> {
  const { path } = place;
  const [first, second, third, fourth] = await readHead(path, 4);
  if (first === 0x1f && second === 0x8b) return gzipSource(place);
  const isZip = first === 0x50 && second === 0x4b && third === 3 && fourth === 4;
  if (isZip) return zipSource(place);
  return { packing: "", chunks: (chunkBytes, signal) => readChunks(path, chunkBytes, signal) };
}

/** The first bytes of a source, up to `sizeBytes`. */
export async function readStart(source: ByteSource, sizeBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source.chunks(sizeBytes)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= sizeBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, sizeBytes);
}

function gzipSource({ path, name }: InputPlace): ByteSource {
  return {
    packing: "gzip",
    chunks: (chunkBytes, signal) =>
      unpack({
        name,
        signal,
        chunkBytes,
        packed: createReadStream(path),
        unpacker: createGunzip({ chunkSize: Math.max(chunkBytes, 64) }),
        check: () => undefined,
      }),
  };
}

async function zipSource(place: InputPlace): Promise<ByteSource> {
  const { path, name } = place;
  const file = await open(path, "r");
  try {
    const member = await chooseMember(file, place);
    const start = await findMemberStart(file, member);
    if (start === undefined) return refuse(name, "the ZIP archive is damaged; pack it anew.");
    return {
      packing: `zip, member ${member.name}`,
      chunks: (chunkBytes, signal) =>
        member.packedBytes === 0
          ? nothing()
          : unpack({
              name,
              signal,
              chunkBytes,
              ...memberStreams({ path, member, start, chunkBytes }),
            }),
    };
  } finally {
    await file.close();
  }
}

interface MemberPlace {
  readonly path: string;
  readonly member: ZipMember;
  readonly start: number;
  readonly chunkBytes: number;
}

function memberStreams({ path, member, start, chunkBytes }: MemberPlace) {
  return {
    packed: createReadStream(path, { start, end: start + member.packedBytes - 1 }),
    unpacker:
      member.method === 0 ? undefined : createInflateRaw({ chunkSize: Math.max(chunkBytes, 64) }),
    check: ({ length, crc }: Totals) =>
      length === member.unpackedBytes && crc === member.crc32
        ? undefined
        : "its content is not whole",
  };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An empty member has no bytes.
}

/** A workbook that is cut off still begins like one. */
function refuseCutWorkbook(name: string, head: Uint8Array): void {
  const text = Buffer.from(head).toString("latin1");
  const workbook = /\[Content_Types\]\.xml|xl\//u.test(text)
    ? findWorkbook(["xl/workbook.xml"])
    : undefined;
  if (workbook !== undefined) {
    refuse(name, `this is ${workbook.name}, not a CSV; ${workbook.advice}.`);
  }
}

async function chooseMember(file: FileHandle, { path, name }: InputPlace): Promise<ZipMember> {
  const directory = await readZipDirectory(file);
  if (directory.kind === "unreadable") {
    refuseCutWorkbook(name, await readHead(path, 4096));
    return refuse(
      name,
      `the ZIP archive cannot be read: ${directory.why}; unpack it and give the CSV.`,
    );
  }
  const workbook = findWorkbook(directory.members.map((member) => member.name));
  if (workbook !== undefined) {
    return refuse(name, `this is ${workbook.name}, not a CSV; ${workbook.advice}.`);
  }
  const real = directory.members.filter(isReal);
  const tables = real.filter((member) => /\.(?:csv|tsv|tab|txt)$/iu.test(member.name));
  const [member, ...others] = tables.length === 1 ? tables : real;
  if (member === undefined) return refuse(name, "the ZIP archive holds no file.");
  if (others.length > 0) return refuse(name, severalMembers([member, ...others]));
  if (member.isEncrypted || (member.method !== 0 && member.method !== 8)) {
    const how = member.isEncrypted ? "with a password" : "in a way that is not known here";
    return refuse(
      name,
      `${member.name} in the ZIP archive is packed ${how}; unpack it and give the CSV.`,
    );
  }
  return member;
}

/** Neither folder nor what macOS and Windows add on their own. */
function isReal({ name }: ZipMember): boolean {
  const parts = name.split("/");
  return (
    !name.endsWith("/") &&
    !parts.some((part) => part === "__MACOSX" || part.startsWith(".")) &&
    !/^(?:thumbs\.db|desktop\.ini)$/iu.test(parts.at(-1) ?? "")
  );
}

const SHOWN_MEMBERS = 10;

function severalMembers(members: readonly ZipMember[]): string {
  const shown = members.slice(0, SHOWN_MEMBERS).map((member) => member.name);
  const more = members.length > SHOWN_MEMBERS ? `, and ${members.length - SHOWN_MEMBERS} more` : "";
  return `the ZIP archive holds ${members.length} files (${shown.join(", ")}${more}); unpack it and give the one with the partners.`;
}

interface Totals {
  readonly length: number;
  readonly crc: number;
}

interface Unpacking {
  readonly name: string;
  readonly signal: AbortSignal | undefined;
  readonly chunkBytes: number;
  readonly packed: ReadStream;
  /** Undefined when the bytes are stored as they are. */
  readonly unpacker: Transform | undefined;
  /** What is wrong with the whole, if anything. */
  readonly check: (totals: Totals) => string | undefined;
}

async function* unpack(unpacking: Unpacking): AsyncGenerator<Uint8Array> {
  const { name, signal, chunkBytes, packed, unpacker, check } = unpacking;
  const totals = { length: 0, crc: 0 };
  const stream: AsyncIterable<Buffer> = unpacker === undefined ? packed : chain(packed, unpacker);
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      totals.length += chunk.length;
      totals.crc = crc32(chunk, totals.crc);
      refuseBomb(name, { length: totals.length, packedBytes: packed.bytesRead });
      for (let at = 0; at < chunk.length; at += chunkBytes) {
        yield chunk.subarray(at, at + chunkBytes);
      }
    }
  } catch (error) {
    refuseDamaged(name, error);
    throw error;
  } finally {
    packed.destroy();
    unpacker?.destroy();
  }
  const fault = check(totals);
  if (fault !== undefined) refuse(name, `the archive is damaged (${fault}); pack it anew.`);
}

function refuseDamaged(name: string, error: unknown): void {
  const isZlib = error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
  if (isZlib) refuse(name, `the archive is damaged (${errorText(error)}); pack it anew.`);
}

/** An error of either stream ends the reading of the last. */
function chain(packed: ReadStream, unpacker: Transform): Transform {
  pipeline(packed, unpacker, () => undefined);
  return unpacker;
}

function refuseBomb(name: string, sizes: { length: number; packedBytes: number }): void {
  const { length, packedBytes } = sizes;
  const isBomb = length > FREE_BYTES && length > packedBytes * MAX_RATIO;
  if (!isBomb && length <= MAX_UNPACKED_BYTES) return;
  refuse(
    name,
    `the archive unpacks to more than ${isBomb ? `${MAX_RATIO} times its size` : "8 GiB"}, which no partner file does; unpack it yourself if that is right.`,
  );
}
