/** The first hit at or behind `from`. */
interface Found {
  from: number;
  at: number;
}

/** The line breaks of a text that is read from left to right: CR, LF or CRLF. */
export class LineBreaks {
  private readonly text: string;
  private readonly isLast: boolean;
  private readonly lf: Found = { from: 0, at: -1 };
  private readonly cr: Found = { from: 0, at: -1 };

  /** @param isLast whether no more text can come */
  constructor(text: string, isLast: boolean) {
    this.text = text;
    this.isLast = isLast;
  }

  /**
   * Where the first line break at or behind `from` begins, infinite when there is none. Asked with growing `from`,
   * it searches the text once.
   */
  next(from: number): number {
    return Math.min(this.find(this.lf, "\n", from), this.find(this.cr, "\r", from));
  }

  /** Whether a CR ends the text so that its LF may still come. */
  isOpen(at: number): boolean {
    return !this.isLast && at + 1 === this.text.length && this.text[at] === "\r";
  }

  /** Where the line behind a break begins. */
  behind(at: number): number {
    return this.text[at] === "\r" && this.text[at + 1] === "\n" ? at + 2 : at + 1;
  }

  private find(found: Found, wanted: string, from: number): number {
    if (found.at < from || from < found.from) {
      const index = this.text.indexOf(wanted, from);
      found.from = from;
      found.at = index === -1 ? Infinity : index;
    }
    return found.at;
  }
}

const BREAKS = /\r\n|\r|\n/gu;

/** Line breaks in a text. */
export function countLineBreaks(text: string): number {
  return text.match(BREAKS)?.length ?? 0;
}
