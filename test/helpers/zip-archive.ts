import { crc32, deflateRawSync } from "node:zlib";

interface ZipOptions {
  readonly isStored?: boolean;
  readonly isEncrypted?: boolean;
  /** A wrong checksum. */
  readonly crc?: number;
}

/** A ZIP archive of members by their names (APPNOTE 6.3.10). */
export function zipOf(
  members: Readonly<Record<string, string | Uint8Array>>,
  options: ZipOptions = {},
): Buffer {
  const locals: Buffer[] = [];
  const entries: Buffer[] = [];
  let at = 0;
  for (const [name, given] of Object.entries(members)) {
    const content = Buffer.from(given);
    const packed = options.isStored === true ? content : deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(options.isEncrypted === true ? 1 : 0, 2);
    common.writeUInt16LE(options.isStored === true ? 0 : 8, 4);
    common.writeUInt32LE(options.crc ?? crc32(content), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([mark(0x04034b50), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    entries.push(
      Buffer.concat([mark(0x02014b50), Buffer.alloc(2), common, tail, Buffer.from(name)]),
    );
    locals.push(local);
    at += local.length;
  }
  const directory = Buffer.concat(entries);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, directory, mark(0x06054b50), end]);
}

function mark(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
