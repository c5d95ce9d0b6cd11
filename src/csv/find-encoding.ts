import { isUtf8 } from "node:buffer";
import { createByteLines } from "./byte-lines.ts";
import type { ByteSource } from "./byte-source.ts";
import { openTextDecoder, type TextEncodingPlan, unfinishedCharacter } from "./decode.ts";
import { createEncodingSigns } from "./encoding-signs.ts";
import { refuse } from "./refuse.ts";
import { createUtf8Signs } from "./utf8-signs.ts";

/** How a file is decoded, and why. */
export interface EncodingFinding {
  readonly plan: TextEncodingPlan;
  readonly reason: string;
  readonly warnings: readonly string[];
}

export interface EncodingWish {
  /** `--encoding`. */
  readonly encoding: string | undefined;
  /** For what is not UTF-8. */
  readonly fallback: string | undefined;
}

const DEFAULT_FALLBACK = "windows-1252";
const CHUNK_BYTES = 262_144;
const SHOWN_LINES = 5;
const SHOWN_CELLS = 3;
const SHOWN_CELL_LENGTH = 40;
/** Share of NULs from which a text is UTF-16: a Western one has one in every pair of bytes. */
const NUL_SHARE = 0.2;

const MARKS: readonly { readonly bytes: readonly number[]; readonly label: string }[] = [
  { bytes: [0xef, 0xbb, 0xbf], label: "utf-8" },
  { bytes: [0xff, 0xfe], label: "utf-16le" },
  { bytes: [0xfe, 0xff], label: "utf-16be" },
];

/**
 * Finds how a file is encoded: by its byte order mark, by its NULs (UTF-16), else it is UTF-8 if the whole of it is,
 * and what is not UTF-8 is read in the fallback.
 * @param head the first bytes
 * @throws OnboardError exit 2 when the bytes speak against the fallback
 */
export async function findEncoding(
  source: ByteSource & { readonly name: string },
  head: Uint8Array,
  wish: EncodingWish,
): Promise<EncodingFinding> {
  const mark = MARKS.find(({ bytes }) => bytes.every((byte, index) => head[index] === byte));
  if (wish.encoding !== undefined) return given(wish.encoding, mark?.label);
  if (mark !== undefined && mark.label !== "utf-8") {
    return certain(mark.label, "the file begins with its byte order mark");
  }
  const wide = mark === undefined ? findUtf16(head) : undefined;
  if (wide !== undefined) return wide;
  refuseBinary(source.name, head);
  const check = await checkUtf8(source);
  if (!check.isUtf8) return findFallback(source, wish.fallback);
  const reason =
    mark === undefined
      ? "the whole file is valid UTF-8"
      : "the file begins with its byte order mark";
  return { ...certain("utf-8", reason), warnings: check.warnings };
}

function certain(label: string, reason: string): EncodingFinding {
  return { plan: { kind: "label", label }, reason, warnings: [] };
}

/** A byte order mark leaves no doubt; a label that says otherwise is a slip. */
function given(encoding: string, marked: string | undefined): EncodingFinding {
  const label = openTextDecoder(encoding).encoding;
  if (marked === undefined || marked === label) return certain(encoding, "--encoding says so");
  return {
    ...certain(marked, "the file begins with its byte order mark"),
    warnings: [
      `The file begins with the byte order mark of ${marked} and is read as such, not as ${label}.`,
    ],
  };
}

/** UTF-16 without a mark: the upper halves of most characters are NUL. */
function findUtf16(head: Uint8Array): EncodingFinding | undefined {
  const pairs = Math.floor(head.length / 2);
  const nuls = [0, 0];
  for (const [at, byte] of head.entries()) {
    if (byte === 0) nuls[at % 2] = (nuls[at % 2] ?? 0) + 1;
  }
  const [even = 0, odd = 0] = nuls;
  if (Math.max(even, odd) < Math.max(1, pairs * NUL_SHARE)) return undefined;
  const label = odd > even ? "utf-16le" : "utf-16be";
  if (Math.min(even, odd) * 4 > Math.max(even, odd)) return undefined;
  return certain(label, "every other byte of the text is NUL");
}

/** What is neither text nor of a known kind. */
function refuseBinary(name: string, head: Uint8Array): void {
  const odd = head.filter((byte) => byte < 0x09 || (byte > 0x0d && byte < 0x1a)).length;
  if (odd > 16 && odd > head.length / 20) {
    refuse(name, "this is no text but binary data; export the partners as CSV and give that.");
  }
}

interface Utf8Check {
  readonly isUtf8: boolean;
  readonly warnings: readonly string[];
}

async function checkUtf8(source: ByteSource): Promise<Utf8Check> {
  const signs = createUtf8Signs();
  let rest: Uint8Array = new Uint8Array();
  for await (const chunk of source.chunks(CHUNK_BYTES)) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    rest = unfinishedCharacter(bytes.subarray(-3));
    const whole = bytes.subarray(0, bytes.length - rest.length);
    if (!isUtf8(whole)) return { isUtf8: false, warnings: [] };
    signs.look(whole);
  }
  return { isUtf8: rest.length === 0, warnings: signs.warnings() };
}

/** What a pass over the lines finds that are not UTF-8. */
interface LineFinding {
  readonly utf8Lines: number;
  readonly otherLines: number;
  readonly places: readonly number[];
  readonly cells: readonly string[];
  readonly isOtherScript: boolean;
  readonly better: readonly string[];
}

async function findFallback(
  source: ByteSource & { readonly name: string },
  configured: string | undefined,
): Promise<EncodingFinding> {
  const { encoding: fallback } = openTextDecoder(configured ?? DEFAULT_FALLBACK);
  const found = await lookAtLines(source, fallback);
  if (configured === undefined) refuseOtherEncoding(source.name, found);
  const { places, otherLines, cells } = found;
  const lines = `${places.join(", ")}${otherLines > places.length ? ", …" : ""}`;
  const sample = cells.map((cell) => `"${cell}"`).join(", ");
  const check = `If ${sample} is not right, say --encoding.`;
  if (found.utf8Lines === 0) {
    return {
      plan: { kind: "label", label: fallback },
      reason: `the file is not UTF-8 (line ${lines}), and ${fallback} is the fallback`,
      warnings: [`The file is not UTF-8 (line ${lines}); it is read as ${fallback}. ${check}`],
    };
  }
  return {
    plan: { kind: "by-line", fallback },
    reason: `${found.utf8Lines} lines with other letters than ASCII are UTF-8 and ${otherLines} are not`,
    warnings: [
      `The file is in two encodings: ${otherLines} lines are not UTF-8 (line ${lines}); they are read as ${fallback}. ${check}`,
    ],
  };
}

function refuseOtherEncoding(name: string, { isOtherScript, better, cells }: LineFinding): void {
  if (isOtherScript) {
    refuse(
      name,
      "the file is not UTF-8, and its letters are not those of a Western encoding. Say which it is with --encoding, such as windows-1251, iso-8859-7, gbk, big5, shift_jis or euc-kr, or save the file as UTF-8.",
    );
  }
  const [best] = better;
  if (best === undefined) return;
  const sample = cells.map((cell) => `"${cell}"`).join(", ");
  const names = better.map((label) => `--encoding ${label}`).join(" or ");
  const page = best.startsWith("cp") ? " (code page 850 or 437 of DOS)" : "";
  refuse(
    name,
    `the file is not UTF-8, and as ${DEFAULT_FALLBACK} its words look wrong: ${sample}. They look right as ${best}${page}. Say ${names}, or --encoding ${DEFAULT_FALLBACK} if they are as they should be.`,
  );
}

async function lookAtLines(source: ByteSource, fallback: string): Promise<LineFinding> {
  const lines = createByteLines();
  const signs = createEncodingSigns(fallback);
  const decoder = openTextDecoder(fallback);
  const places: number[] = [];
  const cells: string[] = [];
  let [line, utf8Lines, otherLines] = [0, 0, 0];

  function look(bytes: Uint8Array): void {
    line += 1;
    if (isUtf8(bytes)) {
      if (bytes.some((byte) => byte > 0x7f)) utf8Lines += 1;
      return;
    }
    otherLines += 1;
    signs.look(bytes);
    if (places.length < SHOWN_LINES) places.push(line);
    if (cells.length < SHOWN_CELLS) cells.push(sampleCell(decodeLeniently(bytes)));
  }

  function decodeLeniently(bytes: Uint8Array): string {
    try {
      return decoder.decode(bytes);
    } catch {
      return "";
    }
  }

  for await (const chunk of source.chunks(CHUNK_BYTES)) lines.push(chunk).forEach(look);
  lines.end().forEach(look);
  const [isOtherScript, better] = [signs.isOtherScript(), signs.betterThanFallback()];
  return { utf8Lines, otherLines, places, cells, isOtherScript, better };
}

/** The cell of a line that holds a letter beyond ASCII, whatever the delimiter. */
function sampleCell(line: string): string {
  const cells = line.split(/[,;\t|"\r\n]/u).map((cell) => cell.trim());
  const cell = cells.find((one) => /[^\p{ASCII}]/u.test(one)) ?? "";
  return cell.length > SHOWN_CELL_LENGTH ? `${cell.slice(0, SHOWN_CELL_LENGTH)}…` : cell;
}
