import path from "node:path";
import type { LoadedConfig } from "../config/resolve-config.ts";
import { STDIN } from "../runs/copy-input.ts";
import type { FindDeps } from "../runs/find-run.ts";
import type { RunFileDeps } from "../runs/run-context.ts";
import type { CommandParts } from "./command-parts.ts";
import type { CliIo } from "./io.ts";

interface CommandSurroundings {
  readonly io: CliIo;
  readonly loaded: LoadedConfig;
  readonly parts: CommandParts;
}

/** The absolute path of a file that a command names; `-` stays what it is, the standard input. */
export function inputPath(cwd: string, file: string): string {
  return file === STDIN ? file : path.resolve(cwd, file);
}

/** What a command that works with runs finds them with. */
export function findDeps({ io, loaded, parts }: CommandSurroundings): FindDeps {
  const { config, machine } = loaded;
  return {
    outDir: path.resolve(io.cwd, config.out),
    redisKind: config.redis.kind,
    stateDir: machine.stateDir,
    openRedis: parts.app.openRedis,
    warn: parts.warn,
  };
}

/** What the use cases of a partner file take from a command. */
export function runFileDeps(
  { io, loaded, parts }: CommandSurroundings,
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
