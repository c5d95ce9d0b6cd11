import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { CliIo } from "../../../src/cli/io.ts";

export interface FakeIo {
  readonly io: CliIo;
  /** Everything written so far. */
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly signals: EventEmitter;
  /** Codes of exits that would not have waited. */
  readonly exits: number[];
  /** Resolves with stdout as soon as it matches. */
  readonly whenStdout: (pattern: RegExp) => Promise<string>;
}

export interface FakeIoOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Whether stderr is a terminal. */
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly now?: () => number;
}

/** An outside world that a test can look into. */
export function fakeIo(options: FakeIoOptions = {}): FakeIo {
  const changes = new EventEmitter();
  const stdout = collector(changes);
  const stderr = collector(changes);
  const signals = new EventEmitter();
  const exits: number[] = [];
  const extra = {
    isTTY: options.terminal ?? false,
    ...(options.columns && { columns: options.columns }),
  };
  const cwd = options.cwd ?? "/nowhere";
  return {
    io: {
      stdin: new PassThrough(),
      stdout: stdout.stream,
      stderr: Object.assign(stderr.stream, extra),
      env: options.env ?? {},
      cwd,
      home: cwd,
      now: options.now ?? Date.now,
      signals,
      exitNow: (code) => exits.push(code),
    },
    stdout: stdout.text,
    stderr: stderr.text,
    signals,
    exits,
    whenStdout: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (pattern.test(stdout.text())) resolve(stdout.text());
        };
        changes.on("written", look);
        look();
      }),
  };
}

function collector(changes: EventEmitter): { stream: Writable; text: () => string } {
  let text = "";
  const stream = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      changes.emit("written");
      done();
    },
  });
  return { stream, text: () => text };
}
