import type { ConfigInput, Environment, LoadedConfig } from "./resolve-config.ts";

/** The environment of this process; nothing else in the program reads it. */
export function processEnvironment(): Environment {
  return process.env;
}

/**
 * Flag > environment > configuration file > default, checked as a whole.
 * The libraries for it are loaded only now, so that help and version come at once.
 *
 * @throws OnboardError exit 2 that lists every fault with its place
 */
export async function loadConfig(input: ConfigInput): Promise<LoadedConfig> {
  const { resolveConfig } = await import("./resolve-config.ts");
  return resolveConfig(input);
}
