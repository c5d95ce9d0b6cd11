/** A flag as the shells shall know it. */
interface FlagShape {
  /** `--rate` */
  readonly name: string;
  /** What its value is called, `file`; empty for one without a value. */
  readonly value: string;
  readonly help: string;
}

/** A command as the shells shall know it. */
export interface CommandShape {
  readonly name: string;
  readonly summary: string;
  /** What its first argument is called, such as `file` or `run`; empty for a command without any. */
  readonly argument: string;
  readonly flags: readonly FlagShape[];
}

/** Words that stand for an argument of a name; files and runs are looked up by the shell. */
export type ArgumentWords = Readonly<Record<string, readonly string[]>>;

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The runs below the default output folder; their ids need no quoting. */
const LIST_RUNS = "command ls onboard-out 2>/dev/null | command grep -E '^[A-Za-z0-9_-]+$'";

/**
 * The script that teaches a shell to complete the command line.
 *
 * @param words of arguments that are neither a file nor a run
 */
export function completionScript(
  shell: Shell,
  commands: readonly CommandShape[],
  words: ArgumentWords,
): string {
  switch (shell) {
    case "bash":
      return bashScript(commands, words);
    case "zsh":
      return zshScript(commands, words);
    case "fish":
      return fishScript(commands, words);
  }
}

function bashScript(commands: readonly CommandShape[], words: ArgumentWords): string {
  const names = commands.map(({ name }) => name).join(" ");
  const cases = commands.map(({ name, argument, flags }) => {
    const all = flags.map((flag) => flag.name).join(" ");
    const withValue = flags.filter(({ value }) => value !== "").map((flag) => flag.name);
    const offered = argument === "run" ? `$(${LIST_RUNS})` : (words[argument] ?? []).join(" ");
    return `    ${name}) flags="${all}"; with_value="${withValue.join(" ")}"; words="${offered}" ;;`;
  });
  return `# bash completion of onboard-batch: eval "$(onboard-batch completion bash)" in ~/.bashrc
_onboard_batch() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]}
  local command="" flags="" with_value="" words="${names}" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -*) ;; *) command=$word; break ;; esac
  done
  case $command in
${cases.join("\n")}
  esac
  COMPREPLY=()
  # No answer means files.
  case " $with_value " in *" $previous "*) return ;; esac
  case $current in -*) words=$flags ;; esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _onboard_batch onboard-batch
`;
}

function zshScript(commands: readonly CommandShape[], words: ArgumentWords): string {
  const described = commands.map(({ name, summary }) => quoted(`${name}:${summary}`));
  const cases = commands.map(({ name, argument, flags }) => {
    const specs = flags.map((flag) => {
      const action = flag.value === "" ? "" : `:${flag.value}:${zshAction(flag.value, words)}`;
      return quoted(`${flag.name}[${flag.help.replaceAll(/[[\]]/g, "\\$&")}]${action}`);
    });
    const rest = argument === "" ? [] : [quoted(`*:${argument}:${zshAction(argument, words)}`)];
    return `      ${name}) _arguments ${[...specs, ...rest].join(" ")} ;;`;
  });
  return `#compdef onboard-batch
# zsh completion of onboard-batch: source <(onboard-batch completion zsh) in ~/.zshrc, after compinit
_onboard_batch_runs() {
  local -a runs
  runs=(\${(f)"$(${LIST_RUNS})"})
  compadd -a runs
}
_onboard_batch() {
  local context state line
  local -a commands
  commands=(${described.join(" ")})
  _arguments -C '1:command:->command' '*::argument:->argument'
  case $state in
    command) _describe command commands ;;
    argument)
      case $words[1] in
${cases.join("\n")}
      esac ;;
  esac
}
compdef _onboard_batch onboard-batch
`;
}

function zshAction(name: string, words: ArgumentWords): string {
  if (name === "run") return "_onboard_batch_runs";
  const known = words[name];
  if (known !== undefined) return `(${known.join(" ")})`;
  return /file|dir/.test(name) ? "_files" : " ";
}

function fishScript(commands: readonly CommandShape[], words: ArgumentWords): string {
  const lines = commands.flatMap(({ name, summary, argument, flags }) => {
    const here = `complete -c onboard-batch -n '__fish_seen_subcommand_from ${name}'`;
    const own = flags.map(({ name: flag, value, help }) => {
      const takes = value === "" ? "" : /file|dir/.test(value) ? " -r -F" : " -x";
      return `${here} -l ${flag.slice(2)}${takes} -d ${quoted(help)}`;
    });
    const offered = argument === "run" ? `(${LIST_RUNS})` : (words[argument] ?? []).join(" ");
    return [
      `complete -c onboard-batch -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...(offered === "" ? [] : [`${here} -a ${quoted(offered)}`]),
      ...(argument === "file" ? [`${here} -F`] : []),
      ...own,
    ];
  });
  return `# fish completion of onboard-batch: onboard-batch completion fish > ~/.config/fish/completions/onboard-batch.fish
complete -c onboard-batch -f
${lines.join("\n")}
`;
}

/** In single quotes, for any of the shells. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
