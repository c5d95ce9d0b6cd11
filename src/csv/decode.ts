import { isUtf8 } from "node:buffer";
import { type CodePage, codePageOf } from "../core/code-pages.ts";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { createByteLines } from "./byte-lines.ts";

/** Turns the bytes of one file into text, whatever chunks they come in. It never makes a U+FFFD. */
export interface Decoder {
  /** Canonical label, such as `utf-8`. */
  readonly encoding: string;
  /** @throws OnboardError exit 2, naming the line, when bytes are not text of this encoding */
  decode(chunk: Uint8Array): string;
  /** The rest after the last chunk. */
  end(): string;
}

/** How a file is decoded: in one encoding, or each line that is not UTF-8 in another. */
export type TextEncodingPlan =
  | { readonly kind: "label"; readonly label: string }
  | { readonly kind: "by-line"; readonly fallback: string };

const NEWLINE = 0x0a;
const BYTE_ORDER_MARK = "\uFEFF";

/** Starts decoding a file by a plan. @param path named in errors @throws OnboardError exit 2 for an unknown label */
export function createPlannedDecoder(plan: TextEncodingPlan, path: string): Decoder {
  return plan.kind === "label"
    ? createDecoder(plan.label, path)
    : createLineDecoder(plan.fallback, path);
}

/**
 * Starts decoding a file from its first byte; a byte order mark is left out.
 * @param label a TextDecoder label (https://encoding.spec.whatwg.org/#names-and-labels), `cp850` or `cp437`
 * @param path named in errors
 * @throws OnboardError exit 2 for an unknown label
 */
export function createDecoder(label: string, path: string): Decoder {
  const decoder = openTextDecoder(label);
  const { encoding } = decoder;
  let line = 1;
  let tail: Uint8Array = new Uint8Array();

  function step(chunk: Uint8Array, isLast: boolean): string {
    try {
      const text = decoder.decode(chunk, { stream: !isLast });
      line += countNewlines(chunk);
      tail = (chunk.length < 3 ? Buffer.concat([tail, chunk]) : chunk).subarray(-3);
      return text;
    } catch (error) {
      const badLine = line + (encoding === "utf-8" ? validLines(tail, chunk) : 0);
      throw notText({ path, line: badLine, encoding }, error);
    }
  }

  return {
    encoding,
    decode: (chunk) => step(chunk, false),
    end: () => step(new Uint8Array(), true),
  };
}

/**
 * Starts decoding a file line by line: what is UTF-8 as such, any other line in the fallback.
 * @throws OnboardError exit 2 for an unknown label
 */
function createLineDecoder(fallback: string, path: string): Decoder {
  const lines = createByteLines();
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const other = openTextDecoder(fallback);
  let line = 0;
  let isStart = true;

  function decodeLine(bytes: Uint8Array): string {
    line += 1;
    if (isUtf8(bytes)) return utf8.decode(bytes);
    try {
      return other.decode(bytes);
    } catch (error) {
      throw notText({ path, line, encoding: other.encoding }, error);
    }
  }

  function decodeLines(found: readonly Uint8Array[]): string {
    let text = "";
    for (const bytes of found) text += decodeLine(bytes);
    if (!isStart || text === "") return text;
    isStart = false;
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  }

  return {
    encoding: `utf-8+${other.encoding}`,
    decode: (chunk) => decodeLines(lines.push(chunk)),
    end: () => decodeLines(lines.end()),
  };
}

/** What this program needs of a decoder; TextDecoder is one. */
export interface TextOfBytes {
  readonly encoding: string;
  decode(bytes: Uint8Array, options?: { readonly stream?: boolean }): string;
}

/** A strict decoder for a label. @throws OnboardError exit 2 for an unknown one */
export function openTextDecoder(label: string): TextOfBytes {
  const page = codePageOf(label);
  if (page !== undefined) return codePageDecoder(page);
  try {
    const decoder = new TextDecoder(label, { fatal: true });
    const known = codePageOf(decoder.encoding);
    return known === undefined ? decoder : codePageDecoder(known);
  } catch (error) {
    throw new OnboardError(EXIT.usage, `--encoding ${label}: this encoding is not known.`, {
      hint: "Known are utf-8, utf-16le, windows-1252, iso-8859-2, iso-8859-15, windows-1250, macintosh, shift_jis, gbk and the other labels of the WHATWG Encoding Standard, and cp850 and cp437.",
      cause: error,
    });
  }
}

function codePageDecoder({ name, upper }: CodePage): TextOfBytes {
  return {
    encoding: name,
    decode(bytes) {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
      return text.replaceAll(/[\u0080-\u00FF]/gu, (one) => upper[one.charCodeAt(0) - 0x80] ?? one);
    },
  };
}

interface BadPlace {
  readonly path: string;
  readonly line: number;
  readonly encoding: string;
}

function notText({ path, line, encoding }: BadPlace, cause: unknown): OnboardError {
  const message = `${path}:${line}: these bytes are not ${encoding === "utf-8" ? "UTF-8" : encoding}.`;
  const hint =
    "Say how the file is encoded, such as --encoding windows-1252 (Excel in Western Europe) or --encoding utf-16le (Excel's Unicode text), or save it as CSV UTF-8.";
  return new OnboardError(EXIT.usage, message, { hint, cause });
}

function countNewlines(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

/** Lines of a chunk before the first one that is not UTF-8. `tail` is the end of the chunk before it. */
function validLines(tail: Uint8Array, chunk: Uint8Array): number {
  const bytes = Buffer.concat([unfinishedCharacter(tail), chunk]);
  let count = 0;
  let start = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, start)) {
    if (!isUtf8(bytes.subarray(start, at))) return count;
    count += 1;
    start = at + 1;
  }
  return count;
}

/** The bytes of a character that was cut by the end of a chunk (RFC 3629 §3: the first byte tells the length). */
export function unfinishedCharacter(tail: Uint8Array): Uint8Array {
  const lead = tail.findLastIndex((byte) => byte >= 0xc0);
  if (lead === -1) return new Uint8Array();
  const byte = tail[lead] ?? 0;
  const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
  return tail.length - lead < length ? tail.subarray(lead) : new Uint8Array();
}
