import path from "node:path";
import type { LoadedConfig } from "../config/resolve-config.ts";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { FindDeps, RunName } from "../runs/find-run.ts";
import type { CommandContext, CommandInput } from "./command.ts";
import { createCommandParts } from "./command-parts.ts";

/**
 * The run that was typed, or `--last`; undefined when neither was.
 *
 * @throws OnboardError exit 2 when both were
 */
export function runNameOf({ words: [text], flags }: CommandInput): RunName | undefined {
  const isLast = flags["last"] === true;
  if (text !== undefined && isLast) {
    throw new OnboardError(EXIT.usage, `--last and ${text} name two runs`, {
      hint: "give one of them",
    });
  }
  if (isLast) return { kind: "last" };
  return text === undefined ? undefined : { kind: "id", text };
}

/**
 * The run that a command cannot do without.
 *
 * @throws OnboardError exit 2 when none was named
 */
export function requireRunName(input: CommandInput): RunName {
  const name = runNameOf(input);
  if (name !== undefined) return name;
  throw new OnboardError(EXIT.usage, "which run?", {
    hint: "give its id, a unique beginning of it, or --last; onboard-batch status shows them all",
  });
}

/** Gives a command that only looks what it finds runs with, and closes it at the end. */
export async function withRuns<T>(
  context: CommandContext,
  loaded: LoadedConfig,
  look: (deps: FindDeps) => Promise<T>,
): Promise<T> {
  const { config, machine } = loaded;
  // Looking harms nothing, also where the server may throw keys away.
  const terminal = { ...config.terminal, force: true };
  const parts = createCommandParts(context, { ...loaded, config: { ...config, terminal } });
  try {
    return await look({
      outDir: path.resolve(context.io.cwd, config.out),
      redisKind: config.redis.kind,
      stateDir: machine.stateDir,
      openRedis: parts.app.openRedis,
      warn: parts.warn,
    });
  } finally {
    await parts.app.close();
  }
}
