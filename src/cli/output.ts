import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { CliIo, OutStream } from "./io.ts";
import { sanitizeForTerminal, toSafeJson } from "./sanitize.ts";

/** The only writer to stdout and stderr. Whatever goes out is made harmless for a terminal. */
export interface Output {
  /** The command's result, on stdout. */
  result(text: string): void;
  /** The command's result as one JSON document, on stdout. */
  jsonResult(value: unknown): void;
  /** Lines for people, on stderr. */
  say(text: string): void;
  /** The same behind a coloured word such as `error:`. */
  alert(word: "error" | "warning", text: string): void;
  /** One JSON object as a line, on stderr. */
  jsonLine(value: unknown): void;
  /** The line at the bottom of a terminal that changes in place; empty takes it away. */
  status(line: string): void;
  /**
   * Waits until everything is written.
   *
   * @throws OnboardError exit 5 when it could not be kept (a full disk; a closed pipe is no error)
   */
  finish(): Promise<void>;
}

export interface OutputStyle {
  readonly stdoutColumns: number;
  readonly stderrColumns: number;
  readonly stderrIsTerminal: boolean;
}

const RED = "31";
const YELLOW = "33";
const CLEAR_LINE = "\r\u001b[K";

/** What the two streams can show; `columns` is 100 off a terminal. */
export function describeStreams({ stdout, stderr, env }: CliIo): OutputStyle {
  return {
    stdoutColumns: stdout.columns ?? 100,
    stderrColumns: stderr.columns ?? 100,
    stderrIsTerminal: stderr.isTTY === true && env["TERM"] !== "dumb",
  };
}

/**
 * Makes the writer.
 *
 * @param mayColor asked at each use, because settings come later than the first line
 */
export function createOutput(io: CliIo, mayColor: () => boolean = () => true): Output {
  let status = "";
  let failure: Error | undefined;
  const { stderrIsTerminal } = describeStreams(io);
  for (const stream of [io.stdout, io.stderr]) {
    // A reader that left (`… | head`) is no error; a full disk is told at the end.
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code !== "EPIPE") failure ??= error;
    });
  }

  function toStderr(text: string): void {
    const [before, after] = status === "" ? ["", ""] : [CLEAR_LINE, status];
    write(io.stderr, `${before}${text}\n${after}`);
  }

  function colored(color: string, word: string): string {
    const isColored = stderrIsTerminal && !io.env["NO_COLOR"] && mayColor();
    return isColored ? `\u001b[${color}m${word}\u001b[0m` : word;
  }

  return {
    result: (text) => {
      write(io.stdout, `${sanitizeForTerminal(text)}\n`);
    },
    jsonResult: (value) => {
      write(io.stdout, `${toSafeJson(value, 2)}\n`);
    },
    say: (text) => {
      toStderr(sanitizeForTerminal(text));
    },
    alert: (word, text) => {
      const prefix = colored(word === "error" ? RED : YELLOW, `${word}:`);
      toStderr(`${prefix} ${sanitizeForTerminal(text)}`);
    },
    jsonLine: (value) => {
      toStderr(toSafeJson(value));
    },
    status: (line) => {
      const next = sanitizeForTerminal(line);
      if (next !== status) write(io.stderr, `${CLEAR_LINE}${next}`);
      status = next;
    },
    finish: async () => {
      await Promise.all([io.stdout, io.stderr].map(drain));
      if (failure === undefined) return;
      throw new OnboardError(
        EXIT.unavailable,
        `Output could not be written: ${errorText(failure)}`,
      );
    },
  };
}

function write(stream: OutStream, text: string): void {
  if (stream.writable) stream.write(text);
}

/** Resolves when all that was written before has left, or cannot any more. */
function drain(stream: OutStream): Promise<void> {
  return new Promise((resolve) => {
    if (stream.writable) stream.write("", () => resolve());
    else resolve();
  });
}
