import path from "node:path";
import type { LoadedConfig } from "../config/resolve-config.ts";
import { STDIN } from "../runs/copy-input.ts";
import type { RunFileDeps } from "../runs/run-context.ts";
import type { CommandParts } from "./command-parts.ts";
import type { CliIo } from "./io.ts";

/** The absolute path of a file that a command names; `-` stays what it is, the standard input. */
export function inputPath(cwd: string, file: string): string {
  return file === STDIN ? file : path.resolve(cwd, file);
}

/** What the use cases of a partner file take from a command. */
export function runFileDeps(
  { io, loaded, parts }: { io: CliIo; loaded: LoadedConfig; parts: CommandParts },
  live: Pick<RunFileDeps, "stopSignal" | "onView">,
): RunFileDeps {
  const { config, secrets, machine } = loaded;
  const { app, log, warn } = parts;
  return {
    config,
    apiKey: secrets.apiKey,
    concurrency: config.concurrency,
    outDir: path.resolve(io.cwd, config.out),
    stateDir: machine.stateDir,
    stdin: io.stdin,
    log,
    logData: config.terminal.logData,
    warn,
    openRedis: app.openRedis,
    openAgent: app.openAgent,
    ...live,
  };
}
