import type { SettingKey } from "../config/settings.ts";
import type { CommandFlag, CommandSpec } from "./command.ts";

const CONFIG: CommandFlag = { flag: "--config <file>", help: "read settings from this YAML file" };
const LAST: CommandFlag = { flag: "--last", help: "the run that was begun last" };

const TALK: readonly SettingKey[] = ["json", "quiet", "verbose", "noColor"];
const ASK: readonly SettingKey[] = ["noInput", "yes", "force"];

/** Every command, in the order of the help. */
export const COMMANDS: readonly CommandSpec[] = [
  {
    name: "run",
    words: "<file...>",
    summary: "send every partner of a CSV file to the agent and write the result files",
    settings: [
      "agentUrl",
      "out",
      "runId",
      "fresh",
      "dedupe",
      "limit",
      "rate",
      "pollRate",
      "totalRate",
      "concurrency",
      "maxOpenTasks",
      "window",
      "attempts",
      "requestTimeout",
      "taskTimeout",
      "delimiter",
      "encoding",
      "headerRow",
      "columns",
      "map",
      "redis.url",
      "progress",
      ...TALK,
      "logData",
      ...ASK,
    ],
    flags: [CONFIG],
    examples: [
      "onboard-batch run partners.csv",
      "onboard-batch run partners.csv --rate 10 --out ./results",
      "onboard-batch run partners.csv --agent-url sandbox --limit 20",
    ],
    load: async () => (await import("./commands/run.ts")).run,
  },
  {
    name: "status",
    words: "[run]",
    summary: "tell how one run stands, or all",
    settings: ["out", "redis.url", ...TALK],
    flags: [LAST, CONFIG],
    examples: ["onboard-batch status", "onboard-batch status --last --json"],
    load: async () => (await import("./commands/status.ts")).status,
  },
  {
    name: "report",
    words: "[run]",
    summary: "make the result files from the journal, at any time",
    settings: ["out", "input", "redis.url", ...TALK, "force"],
    flags: [LAST, CONFIG],
    examples: ["onboard-batch report --last", "onboard-batch report partners-1f3a"],
    load: async () => (await import("./commands/report.ts")).report,
  },
  {
    name: "sandbox",
    words: "",
    summary: "a simulated agent for trying and testing without a key",
    settings: ["host", "port", ...TALK],
    flags: [
      {
        flag: "--faults <file>",
        help: "YAML file with the agent's pace and the faults it shall have",
      },
      CONFIG,
    ],
    examples: [
      "onboard-batch sandbox",
      "onboard-batch run partners.csv --agent-url http://127.0.0.1:8091/",
    ],
    load: async () => (await import("./commands/sandbox.ts")).sandbox,
  },
  {
    name: "version",
    words: "",
    summary: "tell the version",
    settings: ["json"],
    flags: [],
    examples: ["onboard-batch version --json"],
    load: async () => (await import("./commands/version.ts")).version,
  },
  {
    name: "help",
    words: "[topic]",
    summary: "explain a command or one of the topics exit-codes, environment, config, csv",
    settings: [],
    flags: [],
    examples: ["onboard-batch help exit-codes"],
    load: async () => (await import("./commands/help.ts")).help,
  },
];
