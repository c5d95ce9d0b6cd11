import { homedir } from "node:os";
import { processEnvironment } from "../config/load.ts";
import type { Environment } from "../config/resolve-config.ts";

/** A stream of this process that text is written to. */
export type OutStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
};

/** Where the two signals that stop a command come from; `process` is one. */
export interface SignalSource {
  on(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
  off(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

/** Everything a command has of the outside world, so that tests need no child process. */
export interface CliIo {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: OutStream;
  readonly stderr: OutStream;
  readonly env: Environment;
  readonly cwd: string;
  readonly home: string;
  /** ms since the epoch. */
  readonly now: () => number;
  readonly signals: SignalSource;
  /** Ends the process without waiting for anything. */
  readonly exitNow: (code: number) => void;
}

/** The real world, given the way to end the process. */
export function systemIo(exitNow: CliIo["exitNow"]): CliIo {
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: processEnvironment(),
    cwd: process.cwd(),
    home: homedir(),
    now: Date.now,
    signals: process,
    exitNow,
  };
}
