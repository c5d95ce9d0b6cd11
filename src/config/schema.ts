import { z } from "zod";
import type { FailureLimit } from "../core/failure-limit.ts";
import type { ReadOptions } from "../core/input.ts";
import { parseTemplate } from "../core/message-template.ts";
import type { OutputForm } from "../core/output-form.ts";
import { isRunId } from "../core/run-id.ts";
import { resultColumns } from "./column-reader.ts";
import {
  choice,
  decimal,
  delimiter,
  duration,
  encoding,
  failureLimit,
  fieldMap,
  list,
  size,
  text,
  whole,
  yesNo,
} from "./readers.ts";
import {
  REDIS_READERS,
  type RedisSettings,
  redisContradictions,
  toRedis,
} from "./redis-settings.ts";
import type { SettingKey } from "./settings.ts";

const SECOND_MS = 1_000;
const DAY_MS = 86_400_000;
const KIB = 1_024;
const GIB = 1_073_741_824;

const PROGRESS_MODES = ["auto", "tty", "plain", "json", "none"] as const;
export type ProgressMode = (typeof PROGRESS_MODES)[number];

/** Everything that was set, checked: units in the names, ms and bytes inside. */
export interface Config {
  readonly redis: RedisSettings;
  readonly agent: {
    /** `sandbox`, or the base URL with a slash at its end. */
    readonly url: string;
    readonly auth: "api-key" | "none";
    readonly allowHttp: boolean;
    readonly caFile?: string;
    readonly maxResponseBytes: number;
    readonly giveUpAfterMs: number;
    /** Empty: the agent chooses. */
    readonly acceptedOutputModes: readonly string[];
  };
  /** As given, relative to the working directory. */
  readonly out: string;
  readonly runId?: string;
  readonly fresh: boolean;
  readonly input?: string;
  readonly rates: {
    readonly sendPerSecond: number;
    readonly pollPerSecond: number;
    readonly totalPerSecond?: number;
  };
  readonly concurrency: number;
  readonly maxOpenTasks?: number;
  readonly attempts: number;
  readonly requestTimeoutMs: number;
  readonly taskTimeoutMs: number;
  readonly limits: {
    /** Only the first so many rows. */
    readonly rows?: number;
    readonly failures?: FailureLimit;
    /** From the start of the run to its last send. */
    readonly durationMs?: number;
  };
  readonly window: number;
  readonly reading: ReadOptions;
  readonly dedupe: boolean;
  readonly message: { readonly template: string };
  readonly results: { readonly backlogBytes: number };
  readonly output: OutputForm;
  /** Age up to which answers of earlier runs are taken; absent for none. */
  readonly reuseMs?: number;
  readonly retention: { readonly redisMs: number; readonly answersMs: number };
  readonly server: { readonly host: string; readonly port?: number };
  readonly terminal: {
    readonly progress: ProgressMode;
    readonly json: boolean;
    readonly quiet: boolean;
    readonly verbose: boolean;
    readonly logData: boolean;
    readonly color: "auto" | "never";
    /** Whether a person may be asked. */
    readonly input: boolean;
    readonly yes: boolean;
    readonly force: boolean;
  };
}

const rate = decimal({ min: 0.001, max: 10_000 });
const timeout = duration({ min: 100, max: 7 * DAY_MS });

/** How each setting is read; its default is put in before, from SETTINGS. */
const READERS = {
  agentUrl: text(agentUrlProblem),
  "agent.auth": choice(["api-key", "none"]),
  "agent.allowHttp": yesNo(),
  "agent.caFile": text().optional(),
  "agent.maxResponseBytes": size({ min: KIB, max: GIB }),
  "agent.acceptedOutputModes": list(),
  "agent.giveUpAfter": duration({ min: SECOND_MS, max: 30 * DAY_MS }),
  "message.template": text(templateProblem),
  out: text(),
  runId: text(runIdProblem).optional(),
  fresh: yesNo(),
  input: text().optional(),
  dedupe: yesNo(),
  reuse: duration({ min: SECOND_MS, max: 3_650 * DAY_MS }).optional(),
  limit: whole({ min: 1, max: 1_000_000_000 }).optional(),
  maxFailures: failureLimit().optional(),
  maxDuration: duration({ min: SECOND_MS, max: 30 * DAY_MS }).optional(),
  excel: yesNo(),
  jsonl: yesNo(),
  "results.backlog": size({ min: 64 * KIB, max: 64 * GIB }),
  "results.columns": resultColumns(),
  rate,
  pollRate: rate,
  totalRate: rate.optional(),
  concurrency: whole({ min: 1, max: 1_000 }),
  maxOpenTasks: whole({ min: 1, max: 10_000_000 }).optional(),
  window: whole({ min: 1, max: 10_000_000 }),
  attempts: whole({ min: 1, max: 100 }),
  requestTimeout: timeout,
  taskTimeout: timeout,
  delimiter: delimiter().optional(),
  encoding: encoding().optional(),
  fallbackEncoding: encoding().optional(),
  headerRow: whole({ min: 1, max: 1_000_000 }).optional(),
  columns: list().optional(),
  map: fieldMap(),
  ...REDIS_READERS,
  "retention.redis": duration({ min: 60 * SECOND_MS, max: 3_650 * DAY_MS }),
  "retention.answers": duration({ min: 0, max: 3_650 * DAY_MS }),
  host: text(),
  port: whole({ min: 0, max: 65_535 }).optional(),
  progress: choice(PROGRESS_MODES),
  json: yesNo(),
  quiet: yesNo(),
  verbose: yesNo(),
  logData: yesNo(),
  noColor: yesNo(),
  noInput: yesNo(),
  yes: yesNo(),
  force: yesNo(),
} satisfies Record<SettingKey, z.ZodType>;

const settingsShape = z.object(READERS);
type Settings = z.output<typeof settingsShape>;

/**
 * Setting key -> raw value in, Config out. Issues have the setting's key as their path.
 * Defaults must already be filled in.
 */
export const configSchema = settingsShape
  .check(({ value, issues }) => {
    for (const [key, message] of contradictions(value)) {
      issues.push({ code: "custom", input: value, path: [key], message });
    }
  })
  .transform(toConfig);

function* contradictions(settings: Settings): Generator<readonly [SettingKey, string]> {
  if (settings.columns !== undefined && settings.headerRow !== undefined) {
    yield [
      "columns",
      "names columns for a file without header, so a header row cannot be given too",
    ];
  }
  yield* redisContradictions(settings);
  if (settings.quiet && settings.verbose) yield ["quiet", "contradicts verbose"];
}

function toConfig(settings: Settings): Config {
  return {
    redis: toRedis(settings),
    agent: toAgent(settings),
    out: settings.out,
    fresh: settings.fresh,
    ...present({ runId: settings.runId, input: settings.input }),
    rates: {
      sendPerSecond: settings.rate,
      pollPerSecond: settings.pollRate,
      ...present({ totalPerSecond: settings.totalRate }),
    },
    concurrency: settings.concurrency,
    ...present({ maxOpenTasks: settings.maxOpenTasks }),
    attempts: settings.attempts,
    requestTimeoutMs: settings.requestTimeout,
    taskTimeoutMs: settings.taskTimeout,
    limits: present({
      rows: settings.limit,
      failures: settings.maxFailures,
      durationMs: settings.maxDuration,
    }),
    window: settings.window,
    reading: toReading(settings),
    dedupe: settings.dedupe,
    message: { template: settings["message.template"] },
    results: { backlogBytes: settings["results.backlog"] },
    output: {
      excel: settings.excel,
      jsonl: settings.jsonl,
      columns: settings["results.columns"],
    },
    ...present({ reuseMs: settings.reuse }),
    retention: {
      redisMs: settings["retention.redis"],
      answersMs: settings["retention.answers"],
    },
    server: { host: settings.host, ...present({ port: settings.port }) },
    terminal: toTerminal(settings),
  };
}

function toAgent(settings: Settings): Config["agent"] {
  return {
    url: settings.agentUrl === "sandbox" ? "sandbox" : withSlash(settings.agentUrl),
    auth: settings["agent.auth"],
    allowHttp: settings["agent.allowHttp"],
    maxResponseBytes: settings["agent.maxResponseBytes"],
    giveUpAfterMs: settings["agent.giveUpAfter"],
    acceptedOutputModes: settings["agent.acceptedOutputModes"],
    ...present({ caFile: settings["agent.caFile"] }),
  };
}

function toReading(settings: Settings): ReadOptions {
  return {
    map: settings.map,
    ...present({
      delimiter: settings.delimiter,
      encoding: settings.encoding,
      fallbackEncoding: settings.fallbackEncoding,
      headerRow: settings.headerRow,
      columns: settings.columns,
    }),
  };
}

function toTerminal(settings: Settings): Config["terminal"] {
  const { progress, json, quiet, verbose, logData, yes, force } = settings;
  const color = settings.noColor ? "never" : "auto";
  return { progress, json, quiet, verbose, logData, color, input: !settings.noInput, yes, force };
}

type Present<T> = { [Key in keyof T]?: Exclude<T[Key], undefined> };

/** The same object without the keys that hold undefined. */
function present<T extends object>(values: T): Present<T> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- exactly the undefined values are gone, which no type of entries can say
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Present<T>;
}

function withSlash(url: string): string {
  const { href } = new URL(url);
  return href.endsWith("/") ? href : `${href}/`;
}

function agentUrlProblem(value: string): string | undefined {
  if (value === "sandbox") return undefined;
  const url = parseUrl(value);
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return "must be an https:// URL or the word sandbox";
  }
  if (url.username !== "" || url.password !== "") {
    return "must not hold a user or password; the key belongs into ONBOARD_BATCH_API_KEY";
  }
  return /[?#]/.test(value) ? "must not hold a query or fragment" : undefined;
}

function parseUrl(value: string): URL | undefined {
  return URL.canParse(value) ? new URL(value) : undefined;
}

function runIdProblem(value: string): string | undefined {
  return isRunId(value) ? undefined : "must be 1 to 120 letters, digits, - or _";
}

function templateProblem(value: string): string | undefined {
  const parsed = parseTemplate(value);
  return parsed.kind === "problem" ? parsed.message : undefined;
}
