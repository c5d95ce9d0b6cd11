import { pino } from "pino";
import type { Log, LogFields } from "../core/log.ts";
import type { Output } from "./output.ts";

const LEVELS = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof LEVELS)[number];

export interface LogOptions {
  readonly output: Output;
  /** Lines for people on a terminal, JSON for everyone else. */
  readonly form: "human" | "json";
  /** Events below it are not written. */
  readonly level: LogLevel;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** The level that the two flags ask for: `--quiet` errors, `--verbose` everything, else warnings. */
export function chooseLogLevel(terminal: { quiet: boolean; verbose: boolean }): LogLevel {
  if (terminal.verbose) return "debug";
  return terminal.quiet ? "error" : "warn";
}

/** Events on stderr. */
export function createLog(options: LogOptions): Log {
  return options.form === "human" ? createHumanLog(options) : createJsonLog(options);
}

/** One line an event: `22:14:03 warn agent.away code=503`. */
function createHumanLog({ output, level, now }: LogOptions): Log {
  const writer =
    (name: LogLevel) =>
    (event: string, fields: LogFields = {}): void => {
      if (LEVELS.indexOf(name) < LEVELS.indexOf(level)) return;
      const time = new Date(now()).toTimeString().slice(0, 8);
      const facts = Object.entries(fields)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => `${key}=${showFact(value)}`);
      output.say([time, name, event, ...facts].join(" "));
    };
  return {
    debug: writer("debug"),
    info: writer("info"),
    warn: writer("warn"),
    error: writer("error"),
  };
}

function showFact(value: string | number | boolean | undefined): string {
  return typeof value === "string" && !/^[\w./:@+-]+$/.test(value)
    ? JSON.stringify(value)
    : String(value);
}

/** One JSON object an event: level as a word, time in ISO 8601, the event's name as `event`. */
function createJsonLog({ output, level, now }: LogOptions): Log {
  const logger = pino(
    {
      level,
      base: null,
      messageKey: "event",
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line: string) => output.say(line.trimEnd()) },
  );
  return {
    debug: (event, fields = {}) => logger.debug(fields, event),
    info: (event, fields = {}) => logger.info(fields, event),
    warn: (event, fields = {}) => logger.warn(fields, event),
    error: (event, fields = {}) => logger.error(fields, event),
  };
}
