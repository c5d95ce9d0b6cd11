import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { codePageOf } from "../../src/core/code-pages.ts";
import type { ReadOptions } from "../../src/core/input.ts";
import { piece, quoted, wildCell } from "./fuzz-cells.ts";
import { zipOf } from "./zip-archive.ts";

/** A file as somebody may give it, and how it is asked to be read. */
export interface HostileFile {
  readonly bytes: Uint8Array;
  /** What is in it once it is unpacked; undefined when a damaged archive leaves that open. */
  readonly content: Uint8Array | undefined;
  readonly reading: ReadOptions;
  readonly rowLimit: number | undefined;
  readonly dedupe: boolean;
  /** How much is read at a time in one of the passes. */
  readonly chunkBytes: number;
}

/** One sign or pair again and again: what costs too much per character shows here first. */
const longRun = fc
  .tuple(
    fc.oneof(
      piece,
      fc.tuple(piece, piece).map(([one, two]) => one + two),
    ),
    fc.constantFrom(300, 5_000, 40_000),
    fc.constantFrom("", "x", '"', "\n"),
  )
  .map(([sign, length, end]) => sign.repeat(Math.ceil(length / sign.length)) + end);

const header = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .subarray(["id", "country", "city", "PLZ", "Straße", "VAT ID", "Region", "name", "x"])
      .map((names) => ["name"].concat(names)),
  },
  {
    weight: 1,
    arbitrary: fc.array(
      fc.oneof(fc.constantFrom("Name", "Land", "", "onboard_row", "=x", "we\nird"), wildCell),
      { maxLength: 8 },
    ),
  },
);

const lineBreak = fc.constantFrom("\n", "\r\n", "\r");

/** How a cell is written: as it must be, or in ways that are wrong. */
const MANNERS: readonly ((cell: string, delimiter: string) => string)[] = [
  (cell, delimiter) =>
    /["\r\n]/u.test(cell) || cell.includes(delimiter) || cell.startsWith("\uFEFF")
      ? quoted(cell)
      : cell,
  quoted,
  (cell) => cell,
  (cell) => `"${cell}`,
  (cell) => `${quoted(cell)}x`,
  (cell) => ` ${quoted(cell)} `,
  (cell) => `="${cell}"`,
];

const manner = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...MANNERS.slice(0, 2)) },
  { weight: 1, arbitrary: fc.constantFrom(...MANNERS.slice(2)) },
);

/** Text that is a table by and large. */
const tableText = fc
  .record({
    top: fc.oneof(
      { weight: 6, arbitrary: fc.constant("") },
      { weight: 1, arbitrary: fc.constantFrom("sep=;\n", "List of partners\n\n", "EXTF;700;1\n") },
    ),
    names: header,
    rows: fc.array(
      fc.record({
        cells: fc.array(wildCell, { maxLength: 8 }),
        manner,
        end: lineBreak,
        isRagged: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
      }),
      { maxLength: 12 },
    ),
    delimiter: fc.constantFrom(",", ";", "\t", "|"),
    bottom: fc.constantFrom("", "", "", "Total;3\n", "***END OF FILE***", '"', "\u001A", "\r"),
  })
  .map(({ top, names, rows, delimiter, bottom }) => {
    const write = MANNERS[0] ?? quoted;
    const first = names.map((name) => write(name, delimiter)).join(delimiter);
    const lines = rows.map(({ cells, manner: as, end, isRagged }) => {
      const own = isRagged ? cells : names.map((_, column) => cells[column] ?? "ACME");
      return own.map((cell) => as(cell, delimiter)).join(delimiter) + end;
    });
    return `${top}${first}\n${lines.join("")}${bottom}`;
  });

/** Text of the same pieces in no order at all. */
const soup = fc
  .tuple(
    fc.constantFrom("", "name,city\n", "name;city\n", "name\n", "Firma\tOrt\r\n"),
    fc.array(fc.oneof({ weight: 30, arbitrary: piece }, { weight: 1, arbitrary: longRun }), {
      maxLength: 60,
    }),
  )
  .map(([top, pieces]) => top + pieces.join(""));

/** Lines that are all alike, so that whatever one of them costs is paid again and again. */
const monotony = fc
  .tuple(fc.array(piece, { minLength: 1, maxLength: 6 }), fc.constantFrom(50, 1_000, 4_000))
  .map(([pieces, count]) => `name,city\n${`${pieces.join("")}\n`.repeat(count)}`);

const ENCODERS: readonly ((text: string) => Uint8Array)[] = [
  asUtf8,
  (text) => Buffer.from(`\uFEFF${text}`),
  (text) => Buffer.from(`\uFEFF${text}`, "utf16le"),
  (text) => Buffer.from(text, "utf16le"),
  (text) => swapped(Buffer.from(`\uFEFF${text}`, "utf16le")),
  (text) => swapped(Buffer.from(text, "utf16le")),
  (text) => Buffer.from(text, "latin1"),
  inCp850,
  // Every other line in another encoding: two exports joined.
  (text) =>
    Buffer.concat(
      text.split(/(?<=\n)/u).map((line, at) => Buffer.from(line, at % 2 === 0 ? "utf8" : "latin1")),
    ),
];

function asUtf8(text: string): Uint8Array {
  return Buffer.from(text);
}

function swapped(bytes: Buffer): Uint8Array {
  return bytes.subarray(0, bytes.length - (bytes.length % 2)).swap16();
}

function inCp850(text: string): Uint8Array {
  const upper = codePageOf("cp850")?.upper ?? "";
  return Uint8Array.from(Array.from(text), (one) => {
    const at = upper.indexOf(one);
    return at === -1 ? one.charCodeAt(0) : 0x80 + at;
  });
}

const encoder = fc.oneof(
  { weight: 8, arbitrary: fc.constant(asUtf8) },
  { weight: 8, arbitrary: fc.constantFrom(...ENCODERS) },
);

const encodedText = fc
  .tuple(
    fc.oneof(
      { weight: 10, arbitrary: tableText },
      { weight: 5, arbitrary: soup },
      { weight: 1, arbitrary: monotony },
      { weight: 1, arbitrary: longRun.map((run) => `name,city\n${run},x\n`) },
    ),
    encoder,
  )
  .map(([text, encode]) => encode(text));

const spot = fc.double({ min: 0, max: 1, noNaN: true });

type Damage = (bytes: Uint8Array) => Uint8Array;

/** One kind of damage. */
const damage = fc
  .record({ kind: fc.constantFrom("flip", "cut", "double", "swap"), one: spot, two: spot })
  .map(({ kind, one, two }) => (bytes: Uint8Array): Uint8Array => {
    const [from = 0, to = 0] = [one, two]
      .map((at) => Math.floor(at * bytes.length))
      .toSorted(byValue);
    const [start, middle, end] = [bytes.slice(0, from), bytes.slice(from, to), bytes.slice(to)];
    switch (kind) {
      case "flip":
        end[0] = (end[0] ?? 0) ^ (1 << Math.floor(one * 8));
        return Buffer.concat([start, middle, end]);
      case "cut":
        return Buffer.concat([start, end]);
      case "double":
        return Buffer.concat([start, middle, middle, end]);
      case "swap":
        return Buffer.concat([middle, start, end]);
    }
  });

function byValue(one: number, two: number): number {
  return one - two;
}

const damages: fc.Arbitrary<readonly Damage[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<readonly Damage[]>([]) },
  { weight: 1, arbitrary: fc.array(damage, { minLength: 1, maxLength: 3 }) },
);

/** What a file may be packed in. */
const PACKERS: readonly ((content: Uint8Array) => Uint8Array)[] = [
  (content) => gzipSync(content),
  (content) => Buffer.concat([gzipSync(content.subarray(0, 20)), gzipSync(content.subarray(20))]),
  (content) => zipOf({ "partners.csv": content }),
  (content) => zipOf({ "partners.csv": content }, { isStored: true }),
  (content) => zipOf({ "__MACOSX/._partners.csv": "x", "partners.csv": content }),
  (content) => zipOf({ "a.csv": content, "b.csv": "name\n" }),
];

function asItIs(content: Uint8Array): Uint8Array {
  return content;
}

const packer = fc.oneof(
  { weight: 12, arbitrary: fc.constant({ pack: asItIs, isPacked: false }) },
  {
    weight: 4,
    arbitrary: fc.constantFrom(...PACKERS).map((pack) => ({ pack, isPacked: true })),
  },
);

const packedFile = fc
  .record({
    content: fc.oneof(
      { weight: 9, arbitrary: encodedText },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 400 }) },
    ),
    inner: damages,
    packer,
    outer: damages,
  })
  .map(({ content, inner, packer: { pack, isPacked }, outer }) => {
    const damaged = inner.reduce((bytes, harm) => harm(bytes), content);
    const bytes = outer.reduce((packed, harm) => harm(packed), pack(damaged));
    if (!isPacked) return { bytes, content: bytes };
    return { bytes, content: outer.length === 0 ? damaged : undefined };
  });

/** Mostly nothing: what is not said is found by looking. */
function seldom<T>(given: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: given },
  );
}

const readOptions: fc.Arbitrary<ReadOptions> = fc
  .record({
    delimiter: seldom(fc.constantFrom(",", ";", "tab", "pipe", "x", '"', " ", "::")),
    encoding: seldom(
      fc.constantFrom("utf-8", "latin1", "utf-16le", "utf-16be", "cp850", "shift_jis", "klingon"),
    ),
    fallbackEncoding: seldom(fc.constantFrom("windows-1252", "iso-8859-15", "windows-1250")),
    headerRow: seldom(fc.integer({ min: 1, max: 4 })),
    columns: seldom(fc.constantFrom(["name"], ["name", "city"], ["id", "name", "city", "x"])),
    map: fc.oneof(
      { weight: 8, arbitrary: fc.constant({}) },
      { weight: 1, arbitrary: fc.constantFrom({ name: "x" }, { city: "name" }, { name: "city" }) },
    ),
  })
  .map((given) =>
    // Absent is not the same as undefined.
    JSON.parse(JSON.stringify(given)),
  );

const manners = fc.record({
  reading: readOptions,
  rowLimit: seldom(fc.integer({ min: 1, max: 5 })),
  dedupe: fc.boolean(),
  chunkBytes: fc.integer({ min: 1, max: 5_000 }),
});

/** Any file at all, with any wish how to read it. */
export const hostileFile: fc.Arbitrary<HostileFile> = fc
  .tuple(packedFile, manners)
  .map(([{ bytes, content }, { reading, rowLimit, dedupe, chunkBytes }]) => ({
    bytes,
    content,
    reading,
    rowLimit,
    dedupe,
    // Reading a large file byte by byte shows nothing that a small one does not.
    chunkBytes: Math.max(1 + (chunkBytes % 50), Math.ceil(bytes.length / 2_000)),
  }));
