import { Command, Option } from "commander";
import { environmentName, flagKey } from "../config/flag-names.ts";
import { SETTINGS, type Setting } from "../config/settings.ts";
import type { CommandInput, CommandSpec } from "./command.ts";
import { COMMANDS } from "./command-table.ts";
import { describeDefault } from "./describe-default.ts";
import type { Output } from "./output.ts";
import { readVersion } from "./package-version.ts";

export interface ProgramDeps {
  readonly output: Output;
  /** Width of the help. */
  readonly columns: number;
  /** Called with the command that was typed. */
  readonly onCommand: (spec: CommandSpec, input: CommandInput) => Promise<void>;
}

/**
 * The command line: flags, arguments and help of every command. Nothing of a command is loaded here.
 * Parsing throws a CommanderError for help (exit code 0) and for whatever cannot be understood.
 */
export function createProgram(deps: ProgramDeps): Command {
  const program = new Command("onboard-batch")
    .usage("<command> [options]")
    .description(
      "Sends the business partners of CSV files to the CDQ Genius agent, under a rate limit, and writes result files.",
    )
    .helpCommand(false)
    .helpOption("-h, --help", "show this help")
    .version(readVersion(), "-V, --version", "show the version")
    .configureHelp({ showGlobalOptions: false })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => {
        deps.output.result(text.trimEnd());
      },
      // What is wrong is thrown as well, and told where every error is.
      writeErr: () => undefined,
      outputError: () => undefined,
      getOutHelpWidth: () => deps.columns,
    })
    .addHelpText("after", () => SHORT_EXAMPLES);
  for (const spec of COMMANDS) addCommand(program, spec, deps.onCommand);
  return program;
}

const SHORT_EXAMPLES = `
Try it without a key:
  onboard-batch run samples/partners.csv --agent-url sandbox

More: onboard-batch help <command>, or help exit-codes, environment, config, csv`;

function addCommand(
  program: Command,
  spec: CommandSpec,
  onCommand: ProgramDeps["onCommand"],
): void {
  const command = program.command(spec.name).description(spec.summary);
  if (spec.words !== "") command.arguments(spec.words);
  for (const option of optionsOf(spec)) command.addOption(option);
  const examples = spec.examples.map((line) => `  ${line}`).join("\n");
  command.addHelpText("after", `\nExamples:\n${examples}`);
  command.action(() => onCommand(spec, { words: command.args, flags: command.opts() }));
}

function optionsOf(spec: CommandSpec): readonly Option[] {
  const settings = SETTINGS.filter(({ key }) => spec.settings.includes(key));
  const own = spec.flags.map(({ flag, help }) => plainOption(flag, help).helpGroup("Options:"));
  return [...own, ...settings.flatMap(settingOptions)];
}

function settingOptions(setting: Setting): readonly Option[] {
  const { flag, negativeFlag } = setting;
  if (flag === undefined) return [];
  const group = `${setting.group}:`;
  const option = plainOption(flag, `${setting.help} (${describeSources(setting, flag)})`);
  option.helpGroup(group);
  if (setting.repeatable === true) {
    option.argParser<readonly string[] | undefined>((value, before) => [...(before ?? []), value]);
  }
  if (negativeFlag === undefined) return [option];
  return [option, plainOption(negativeFlag, "the opposite").helpGroup(group)];
}

/** Commander makes `--no-x` the negation of `--x`; here both are flags of their own, named as they are typed. */
function plainOption(flag: string, help: string): Option {
  const option = new Option(flag, help);
  option.negate = false;
  option.attributeName = () => flagKey(flag);
  return option;
}

function describeSources(setting: Setting, flag: string): string {
  const value = describeDefault(setting);
  return value === "" ? environmentName(flag) : `default ${value}; ${environmentName(flag)}`;
}
