import { type Command, CommanderError } from "commander";
import type { ConfigInput, LoadedConfig } from "../config/resolve-config.ts";
import { EXIT, type ExitCode } from "../core/exit-code.ts";
import type { CommandContext, CommandInput } from "./command.ts";
import type { CommandShape } from "./completion-script.ts";
import type { CliIo } from "./io.ts";
import { createOutput, describeStreams, type Output } from "./output.ts";
import { createProgram } from "./program.ts";
import { type ErrorStyle, reportError } from "./report-error.ts";

/** What was typed and set about talking, known better and better as a command goes on. */
interface Talk {
  style: ErrorStyle;
  mayColor: boolean;
}

/**
 * Runs one command line and gives its exit code. Never throws.
 *
 * @param argv the words after the program's name
 */
export async function runCli(argv: readonly string[], io: CliIo): Promise<ExitCode> {
  const talk = guessTalk(argv, io);
  const output = createOutput(io, () => talk.mayColor);
  try {
    const exitCode = await dispatch(argv, { io, output, talk });
    await output.finish();
    return exitCode;
  } catch (error) {
    return reportError(error, output, talk.style);
  }
}

interface Session {
  readonly io: CliIo;
  readonly output: Output;
  readonly talk: Talk;
}

async function dispatch(argv: readonly string[], session: Session): Promise<ExitCode> {
  const { io, output } = session;
  let exitCode: ExitCode = EXIT.ok;
  const program = createProgram({
    output,
    columns: describeStreams(io).stdoutColumns,
    onCommand: async (spec, input) => {
      const run = await spec.load();
      exitCode = await run(input, createContext(program, input, session));
    },
  });
  if (argv.length === 0) {
    program.outputHelp();
    return EXIT.ok;
  }
  try {
    await program.parseAsync(argv, { from: "user" });
  } catch (error) {
    // Help and version end the parsing in the same way as a mistake.
    if (!(error instanceof CommanderError) || error.exitCode !== 0) throw error;
  }
  return exitCode;
}

function createContext(
  program: Command,
  { flags }: CommandInput,
  session: Session,
): CommandContext {
  const { io, output } = session;
  return {
    io,
    output,
    loadConfig: () => loadForCommand({ ...io, flags }, session),
    commands: program.commands.map(shapeOf),
    showHelp: (name) => {
      const command = name === undefined ? program : findCommand(program, name);
      command?.outputHelp();
      return command !== undefined;
    },
  };
}

function shapeOf(command: Command): CommandShape {
  return {
    name: command.name(),
    summary: command.description(),
    argument: command.registeredArguments[0]?.name() ?? "",
    flags: command.options.map(({ flags, long, description }) => ({
      name: long ?? flags,
      value: /<([^>]+)>/.exec(flags)?.[1] ?? "",
      help: description,
    })),
  };
}

function findCommand(program: Command, name: string): Command | undefined {
  return program.commands.find((command) => command.name() === name);
}

async function loadForCommand(
  input: ConfigInput,
  { output, talk }: Session,
): Promise<LoadedConfig> {
  const { loadConfig } = await import("../config/load.ts");
  const loaded = await loadConfig(input);
  const { json, verbose, color } = loaded.config.terminal;
  talk.style = { json, verbose };
  talk.mayColor = color === "auto";
  for (const warning of loaded.warnings) output.alert("warning", warning);
  return loaded;
}

/** What can be known before anything is parsed, for errors of the parsing itself. */
function guessTalk(argv: readonly string[], { env }: CliIo): Talk {
  const isSet = (flag: string, name: string): boolean =>
    argv.includes(flag) || /^(true|yes|on|1)$/i.test(env[name] ?? "");
  return {
    style: {
      json: isSet("--json", "ONBOARD_BATCH_JSON"),
      verbose: isSet("--verbose", "ONBOARD_BATCH_VERBOSE") || argv.includes("-v"),
    },
    mayColor: !isSet("--no-color", "ONBOARD_BATCH_NO_COLOR"),
  };
}
