import { FOREIGN_ENVIRONMENT, OTHER_ENVIRONMENT } from "../config/environment-names.ts";
import { environmentName, longFlag } from "../config/flag-names.ts";
import { SETTING_GROUPS } from "../config/setting-facts.ts";
import { SETTINGS, type Setting } from "../config/settings.ts";
import { EXIT } from "../core/exit-code.ts";
import { PARTNER_FIELDS } from "../core/partner.ts";
import { describeDefault } from "./describe-default.ts";

const EXIT_WORDS: Readonly<Record<keyof typeof EXIT, string>> = {
  ok: "every row succeeded, or there was nothing to do",
  bug: "a bug in this program",
  usage:
    "usage, configuration, unreadable input, or not the agent that was configured; nothing was consumed",
  rowsFailed: "settled, but some rows failed or need input",
  credentials: "the agent refused the credentials",
  unavailable: "something outside is missing (Redis, agent, disk): safe to run again",
  held: "another living process holds this run",
  stopped:
    "stopped: canceled, by a limit, or because the agent refused the first rows, all of them",
  interrupted: "interrupted (Ctrl-C): the same command continues",
  terminated: "terminated (SIGTERM): the same command continues",
};

/** Topic -> its text. */
export const HELP_TOPICS: ReadonlyMap<string, () => string> = new Map([
  ["exit-codes", exitCodes],
  ["environment", environment],
  ["config", config],
  ["csv", csv],
]);

function exitCodes(): string {
  const rows = Object.entries(EXIT_WORDS).map(([name, words]): [string, string] => [
    String(Object.entries(EXIT).find(([key]) => key === name)?.[1]),
    words,
  ]);
  return `Exit codes\n\n${table(rows)}\n\nA run that is settled already exits as it ended. Any other code is a failure.`;
}

function environment(): string {
  const rows = SETTINGS.flatMap((setting) =>
    [setting.flag, setting.negativeFlag]
      .filter((flag) => flag !== undefined)
      .map((flag): [string, string] => [environmentName(flag), `as ${longFlag(flag)}`]),
  );
  return [
    "Environment",
    "A flag wins over its environment name, the environment over the configuration file. An empty value counts as unset.",
    table([...Object.entries(OTHER_ENVIRONMENT), ...rows]),
    `Names of others:\n${table(Object.entries(FOREIGN_ENVIRONMENT))}`,
  ].join("\n\n");
}

function config(): string {
  const groups = SETTING_GROUPS.map((group) => {
    const rows = SETTINGS.filter((setting) => setting.group === group).map(configRow);
    return `${group}:\n${table(rows)}`;
  });
  return [
    "Configuration file (YAML)",
    "The first of: --config, ./onboard-batch.yaml, $XDG_CONFIG_HOME/onboard-batch/config.yaml. A dot in a key enters a section.\n" +
      "config/onboard-batch.example.yaml holds every setting with its default. Relative paths count from the working directory.",
    ...groups,
  ].join("\n\n");
}

function configRow(setting: Setting): [string, string] {
  const value = describeDefault(setting);
  // The template has the length of a paragraph; the example file shows it.
  const shown = value === "" || value.length > 60 ? "" : ` (default ${value})`;
  return [setting.key, `${setting.help}${shown}`];
}

function csv(): string {
  return `Input files

A CSV file with a header row, also in gzip or as the one file of a ZIP archive, or - for the standard input.
Encoding, delimiter and the line of the header are found by looking; what is not UTF-8 is read as Windows-1252 with
a warning. --encoding, --delimiter, --header-row and --columns name them. Lines that are no rows (titles, totals,
rulings, repeated headers) are left out and listed in summary.json. Found by looking are also the columns of
  ${PARTNER_FIELDS.join(", ")}
by their usual names in several languages; --map field=Header names one yourself. Only name must be there,
internalId is never sent. Other columns are kept and come back in the result files. onboard_* columns are
left out, so that a failures file can be put in again.

Result files, in <out>/<run id>/; every input row is in exactly one of the first four, in input order:

${table([
  ["results.csv", "rows the agent answered"],
  ["failures.csv", "rows that failed, with onboard_reason and onboard_message"],
  ["needs-input.csv", "rows the agent has a question about"],
  ["unprocessed.csv", "rows that were not sent, only if there are any"],
  ["results.jsonl", "whole tasks of the answered rows, with --jsonl"],
  ["report.html", "the run on one page, with what to do about failures"],
  ["summary.json", "counts and facts of the run"],
  ["journal.ndjson", "every outcome as it came, the record that counts"],
])}`;
}

function table(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([label]) => label.length));
  return rows.map(([label, text]) => `  ${label.padEnd(width)}  ${text}`).join("\n");
}
