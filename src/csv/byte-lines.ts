const LF = 0x0a;
const CR = 0x0d;
/** A longer line is cut, wherever a chunk ends, so that memory stays bounded: 1 MiB. */
const MAX_LINE_BYTES = 1_048_576;

/** Cuts bytes into lines, the same ones whatever chunks they come in. Each keeps its line break. */
export interface ByteLines {
  push(chunk: Uint8Array): readonly Uint8Array[];
  /** The last line, if the file does not end with a line break. */
  end(): readonly Uint8Array[];
}

/** Starts cutting a file; CR, LF and CRLF end lines. */
export function createByteLines(): ByteLines {
  let rest: Uint8Array = new Uint8Array();

  function cut(isLast: boolean): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    while (start < rest.length) {
      const end = lineEnd(rest, start, isLast);
      if (end === undefined) break;
      lines.push(rest.subarray(start, end));
      start = end;
    }
    rest = rest.subarray(start);
    return lines;
  }

  return {
    push(chunk) {
      rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      return cut(false);
    },
    end: () => cut(true),
  };
}

/** Where the line at `start` ends, behind its break; `undefined` while that is open. */
function lineEnd(bytes: Uint8Array, start: number, isLast: boolean): number | undefined {
  const limit = start + MAX_LINE_BYTES;
  const at = nextBreak(bytes, start);
  if (at === undefined || at >= limit) {
    if (bytes.length >= limit) return limit;
    return isLast ? bytes.length : undefined;
  }
  if (bytes[at] === LF) return at + 1;
  // Behind a CR its LF may still come.
  if (at + 1 === bytes.length && !isLast) return undefined;
  return bytes[at + 1] === LF ? at + 2 : at + 1;
}

function nextBreak(bytes: Uint8Array, start: number): number | undefined {
  const lf = bytes.indexOf(LF, start);
  const line = lf === -1 ? bytes.subarray(start) : bytes.subarray(start, lf);
  const cr = line.indexOf(CR);
  if (cr !== -1) return start + cr;
  return lf === -1 ? undefined : lf;
}
