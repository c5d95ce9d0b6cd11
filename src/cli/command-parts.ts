import type { App } from "../app.ts";
import { createApp } from "../app.ts";
import type { LoadedConfig } from "../config/resolve-config.ts";
import type { Log } from "../core/log.ts";
import type { CommandContext } from "./command.ts";
import { chooseLogLevel, createLog } from "./log.ts";
import { describeStreams } from "./output.ts";

/** What every command that works with runs has. Whoever makes it closes the app. */
export interface CommandParts {
  readonly app: App;
  readonly log: Log;
  /** Lines for people. */
  readonly warn: (text: string) => void;
}

/** Makes the parts of a command; nothing is opened yet. */
export function createCommandParts(
  { io, output }: CommandContext,
  loaded: LoadedConfig,
): CommandParts {
  const log = createLog({
    output,
    form: describeStreams(io).stderrIsTerminal ? "human" : "json",
    level: chooseLogLevel(loaded.config.terminal),
    now: io.now,
  });
  const warn = (text: string): void => output.alert("warning", text);
  return { app: createApp({ loaded, cwd: io.cwd, log, warn }), log, warn };
}
