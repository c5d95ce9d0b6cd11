import type { LoadedConfig } from "../config/resolve-config.ts";
import type { SettingKey } from "../config/settings.ts";
import type { ExitCode } from "../core/exit-code.ts";
import type { CommandShape } from "./completion-script.ts";
import type { CliIo } from "./io.ts";
import type { Output } from "./output.ts";

/** What was typed after the command's name, parsed. */
export interface CommandInput {
  readonly words: readonly string[];
  /** By camelCase name; only flags that were given. */
  readonly flags: Readonly<Record<string, unknown>>;
}

/** What a command works with. */
export interface CommandContext {
  readonly io: CliIo;
  readonly output: Output;
  /**
   * Settings of flags, environment and file together; warnings are shown.
   *
   * @throws OnboardError exit 2
   */
  readonly loadConfig: () => Promise<LoadedConfig>;
  /** Every command, as it can be typed. */
  readonly commands: readonly CommandShape[];
  /** Shows the help of one command, or of all; tells whether there is such a command. */
  readonly showHelp: (command: string | undefined) => boolean;
}

export type RunCommand = (input: CommandInput, context: CommandContext) => Promise<ExitCode>;

/** A flag of one command that is no setting. */
export interface CommandFlag {
  readonly flag: string;
  readonly help: string;
}

/** One command as the table knows it; its code is loaded when it is called. */
export interface CommandSpec {
  readonly name: string;
  /** Arguments in the manner of commander: `<file...>`, `[topic]`. */
  readonly words: string;
  readonly summary: string;
  readonly settings: readonly SettingKey[];
  readonly flags: readonly CommandFlag[];
  readonly examples: readonly string[];
  readonly load: () => Promise<RunCommand>;
}
