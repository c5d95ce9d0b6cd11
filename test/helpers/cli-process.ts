import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** How a command ended. */
export interface CliEnd {
  /** Null when a signal ended it that it did not handle. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** From its start to its end. */
  readonly tookMs: number;
}

/** The built command as a child process. */
export interface CliProcess {
  readonly pid: number;
  /** What it has written so far. */
  stdout(): string;
  stderr(): string;
  /** Resolves when stderr holds the text; rejects when the process ends without. */
  untilSaid(text: string): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** As `kill -9`; resolves when it is gone, also when it was gone before. */
  kill(): Promise<void>;
  /** Never rejects. */
  readonly ended: Promise<CliEnd>;
}

export interface CliStart {
  readonly cwd: string;
  /** The whole environment: nothing of the test's own gets in. */
  readonly env: Readonly<Record<string, string>>;
}

const MAIN = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

/** Starts the built command. Whoever starts it sees to its end. */
export function startCli(words: readonly string[], { cwd, env }: CliStart): CliProcess {
  if (!existsSync(MAIN)) throw new Error(`${MAIN} is missing: run npm run build`);
  const startedAtMs = performance.now();
  const child = spawn(process.execPath, [MAIN, ...words], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const texts = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      texts[name] += chunk;
    });
  }
  const ended = once(child, "close").then(
    (): CliEnd => ({
      exitCode: child.exitCode,
      ...texts,
      tookMs: performance.now() - startedAtMs,
    }),
  );
  return {
    pid: child.pid ?? 0,
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    untilSaid: (text) => untilSaid(child, text, () => texts.stderr),
    signal: (signal) => {
      child.kill(signal);
    },
    kill: async () => {
      child.kill("SIGKILL");
      await ended;
    },
    ended,
  };
}

function untilSaid(child: ChildProcess, text: string, said: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = (): void => {
      if (said().includes(text)) settle(resolve);
    };
    const onClose = (): void => {
      settle(() => reject(new Error(`ended without saying ${text}; it said:\n${said()}`)));
    };
    function settle(done: () => void): void {
      child.stderr?.off("data", look);
      child.off("close", onClose);
      done();
    }
    child.stderr?.on("data", look);
    child.on("close", onClose);
    look();
  });
}
