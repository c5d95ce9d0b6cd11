const NEWLINE = 0x0a;
/** `Ã`: in a text that was encoded twice another letter beyond ASCII follows it. */
const A_TILDE = Buffer.from([0xc3, 0x83]);
/** `â€`: the beginning of a dash or a quote that was encoded twice. */
const DASH = Buffer.from([0xc3, 0xa2, 0xe2, 0x82, 0xac]);
/** U+FFFD: what was here is lost. */
const REPLACEMENT = Buffer.from([0xef, 0xbf, 0xbd]);
const FIRST_LEAD = 0xc2;
const SHOWN_LINES = 5;

/** Damage from before that valid UTF-8 can show. */
export interface Utf8Signs {
  /** Looks at the next bytes, which hold whole characters. */
  look(bytes: Uint8Array): void;
  /** What was found in all of them; asked for once, at the end. */
  warnings(): readonly string[];
}

interface Places {
  count: number;
  readonly lines: number[];
}

/** Starts looking for text that was encoded twice and for replacement characters. */
export function createUtf8Signs(): Utf8Signs {
  const doubled: Places = { count: 0, lines: [] };
  const replaced: Places = { count: 0, lines: [] };
  let line = 1;
  // A sign may lie across two chunks.
  let rest: Buffer = Buffer.alloc(0);

  function mark(places: Places, bytes: Buffer, at: number): void {
    places.count += 1;
    if (places.lines.length < SHOWN_LINES) {
      places.lines.push(line + countNewlines(bytes.subarray(0, at)));
    }
  }

  function markAll(bytes: Buffer, end: number): void {
    for (const at of placesOf(bytes, A_TILDE, end)) {
      if ((bytes[at + A_TILDE.length] ?? 0) >= FIRST_LEAD) mark(doubled, bytes, at);
    }
    for (const at of placesOf(bytes, DASH, end)) mark(doubled, bytes, at);
    for (const at of placesOf(bytes, REPLACEMENT, end)) mark(replaced, bytes, at);
  }

  return {
    look(chunk) {
      const bytes = Buffer.concat([rest, chunk]);
      const kept = startOfTail(bytes);
      markAll(bytes, kept);
      line += countNewlines(bytes.subarray(0, kept));
      rest = Buffer.from(bytes.subarray(kept));
    },
    warnings() {
      markAll(rest, rest.length);
      rest = Buffer.alloc(0);
      return [
        ...sentence(
          doubled,
          "look as if the text had been encoded twice (as if Müller had become MÃ¼ller), and are sent as they stand; mend them where the file is made",
        ),
        ...sentence(
          replaced,
          "hold the sign � for a letter that was lost before this file was made; such names are found badly",
        ),
      ];
    },
  };
}

/** A sign is at most five bytes: what may be the beginning of one is looked at again. */
function startOfTail(bytes: Buffer): number {
  const tail = Math.max(0, bytes.length - 4);
  const start = bytes.subarray(tail).findIndex((byte) => byte >= FIRST_LEAD);
  const isWhole = start === -1;
  return isWhole ? bytes.length : tail + start;
}

/**
 * Where a sign begins before `end`.
 * @yields indexes
 */
function* placesOf(bytes: Buffer, sign: Buffer, end: number): Generator<number> {
  for (let at = bytes.indexOf(sign); at !== -1 && at < end; at = bytes.indexOf(sign, at + 1)) {
    yield at;
  }
}

function countNewlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}

function sentence({ count, lines }: Places, what: string): string[] {
  if (count === 0) return [];
  const more = count > lines.length ? ", …" : "";
  return [`${count} places ${what}: line ${lines.join(", ")}${more}.`];
}
