import { existsSync } from "node:fs";
import path from "node:path";
import { OTHER_ENVIRONMENT } from "./environment-names.ts";
import { type Fault, faultsError, unknownWord } from "./faults.ts";
import { environmentName, flagKey, longFlag } from "./flag-names.ts";
import { type Config, configSchema } from "./schema.ts";
import { readSecrets, type Secrets } from "./secrets.ts";
import { SETTINGS, type SettingKey } from "./settings.ts";
import { readYamlFile, type YamlEntry } from "./yaml-file.ts";

/** Name -> value, as process.env. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Everything from outside that decides what is set. */
export interface ConfigInput {
  /** Parsed flags by camelCase name; absent or undefined where the flag was not given. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Environment;
  /** Working directory: relative paths and ./onboard-batch.yaml count from here. */
  readonly cwd: string;
  /** The user's home folder. */
  readonly home: string;
}

interface Proxy {
  readonly httpProxy?: string;
  readonly httpsProxy?: string;
  readonly noProxy?: string;
}

/** What was set, checked, with what else the environment tells. */
export interface LoadedConfig {
  readonly config: Config;
  readonly secrets: Secrets;
  /** Setting -> where its value comes from: a flag, an environment name, `file:line:column` or `default`. */
  readonly sources: ReadonlyMap<SettingKey, string>;
  readonly proxy: Proxy;
  /** Facts of this machine that a managed Redis needs. */
  readonly machine: {
    /** From ONBOARD_BATCH_REDIS_SERVER. */
    readonly redisServer?: string;
    /** PATH as it is. */
    readonly searchPath: string;
    /** `$XDG_STATE_HOME/onboard-batch`. */
    readonly stateDir: string;
  };
  /** Lines for people. */
  readonly warnings: readonly string[];
}

interface Found {
  readonly raw: unknown;
  readonly place: string;
  /** Of a mapping in the file: entry -> its place. */
  readonly entryPlaces?: ReadonlyMap<string, string>;
}

type Layer = ReadonlyMap<SettingKey, Found>;

interface LayerResult {
  readonly layer: Layer;
  readonly faults: readonly Fault[];
}

/**
 * Flag > environment > configuration file > default, checked as a whole.
 *
 * @throws OnboardError exit 2 that lists every fault with its place
 */
export async function resolveConfig(input: ConfigInput): Promise<LoadedConfig> {
  const [file, secrets] = await Promise.all([fromFile(input), readSecrets(input.env, input.cwd)]);
  const over = [fromFlags(input.flags), fromEnvironment(input.env)];
  const results = [...over, withoutOverruledRedis(file, over)];
  const found = merge(results.map(({ layer }) => layer));
  const parsed = configSchema.safeParse(
    Object.fromEntries([...found].map(([key, { raw }]) => [key, raw])),
  );
  const faults = [
    ...results.flatMap((result) => result.faults),
    ...secrets.faults,
    ...(parsed.success ? [] : parsed.error.issues.map((issue) => toFault(issue, found))),
  ];
  if (!parsed.success || faults.length > 0) throw faultsError(faults);
  return {
    config: parsed.data,
    secrets: toSecrets(parsed.data, secrets.secrets),
    sources: new Map([...found].map(([key, { place }]) => [key, place])),
    proxy: toProxy(input.env),
    machine: toMachine(input),
    warnings: secrets.warnings,
  };
}

function toFault(issue: { path: PropertyKey[]; message: string }, found: Layer): Fault {
  const key = SETTINGS.find((setting) => setting.key === issue.path[0])?.key;
  const at = key === undefined ? undefined : found.get(key);
  const place = at?.entryPlaces?.get(String(issue.path[1])) ?? at?.place;
  return { place: place ?? "settings", message: issue.message };
}

/** Every setting with its value of the first layer that has it. */
function merge(layers: readonly Layer[]): Layer {
  return new Map(
    SETTINGS.map(({ key, default: raw }) => {
      const found = layers.find((layer) => layer.has(key))?.get(key);
      return [key, found ?? { raw, place: "default" }];
    }),
  );
}

function fromFlags(flags: ConfigInput["flags"]): LayerResult {
  return collect((flag) => {
    const raw = flags[flagKey(flag)];
    return raw === undefined ? undefined : { raw, place: longFlag(flag) };
  });
}

function fromEnvironment(env: Environment): LayerResult {
  const { layer, faults } = collect((flag) => {
    const name = environmentName(flag);
    const raw = env[name];
    return isUnset(raw) ? undefined : { raw, place: name };
  });
  const url = env["REDIS_URL"];
  const withRedis: Layer =
    isUnset(url) || layer.has("redis.url")
      ? layer
      : new Map([...layer, ["redis.url", { raw: url, place: "REDIS_URL" }]]);
  return { layer: withRedis, faults: [...faults, ...unknownNames(env)] };
}

/**
 * A URL of the command line or the environment says all of where Redis is: of what the file says of
 * another one only the authorities count, and only where TLS is spoken.
 */
function withoutOverruledRedis(file: LayerResult, over: readonly LayerResult[]): LayerResult {
  const url = over.find(({ layer }) => layer.has("redis.url"))?.layer.get("redis.url");
  if (url === undefined) return file;
  const kept = String(url.raw).startsWith("rediss:") ? "redis.tls." : undefined;
  const layer = [...file.layer].filter(
    ([key]) => !key.startsWith("redis.") || (kept !== undefined && key.startsWith(kept)),
  );
  return { ...file, layer: new Map(layer) };
}

/** Asks for each flag, the negative ones too, whose values are turned round. */
function collect(lookUp: (flag: string) => Found | undefined): LayerResult {
  const layer = new Map<SettingKey, Found>();
  const faults: Fault[] = [];
  for (const { key, flag, negativeFlag } of SETTINGS) {
    const positive = flag === undefined ? undefined : lookUp(flag);
    const negative = negativeFlag === undefined ? undefined : lookUp(negativeFlag);
    if (positive !== undefined && negative !== undefined) {
      faults.push({ place: negative.place, message: `contradicts ${positive.place}` });
    }
    const found = positive ?? (negative && { ...negative, raw: opposite(negative.raw) });
    if (found !== undefined) layer.set(key, found);
  }
  return { layer, faults };
}

/** Whatever is not plainly yes or no stays, and is refused when it is read. */
function opposite(raw: unknown): unknown {
  const word = String(raw).toLowerCase();
  if (/^(true|yes|on|1)$/.test(word)) return false;
  return /^(false|no|off|0)$/.test(word) ? true : raw;
}

function unknownNames(env: Environment): readonly Fault[] {
  const flags = SETTINGS.flatMap(({ flag, negativeFlag }) =>
    [flag, negativeFlag].filter((one) => one !== undefined),
  );
  const known = new Set([...flags.map(environmentName), ...Object.keys(OTHER_ENVIRONMENT)]);
  return Object.keys(env)
    .filter((name) => name.startsWith("ONBOARD_BATCH_") && !known.has(name))
    .map((name) => ({ place: name, message: unknownWord(name, known).replace(/^"[^"]*" /, "") }));
}

async function fromFile(input: ConfigInput): Promise<LayerResult> {
  const file = findFile(input);
  if (file === undefined) return { layer: new Map(), faults: [] };
  const { entries, faults } = await readYamlFile(file);
  const layer = new Map<SettingKey, Found>();
  const unknown = entries.flatMap((entry) => takeEntry(entry, "", layer));
  return { layer, faults: [...faults, ...unknown] };
}

/** The file to read: one that was named must be there, the usual places may be empty. */
function findFile({ flags, env, cwd, home }: ConfigInput): string | undefined {
  const named = flags["config"] ?? (env["ONBOARD_BATCH_CONFIG"] || undefined);
  if (typeof named === "string") return path.resolve(cwd, named);
  const folder = env["XDG_CONFIG_HOME"] || path.join(home, ".config");
  const usual = [
    path.join(cwd, "onboard-batch.yaml"),
    path.join(folder, "onboard-batch", "config.yaml"),
  ];
  return usual.find((candidate) => existsSync(candidate));
}

/** Files one entry under its setting; gives the faults of keys that nobody knows. */
function takeEntry(
  entry: YamlEntry,
  section: string,
  layer: Map<SettingKey, Found>,
): readonly Fault[] {
  const inSection = keysIn(section);
  if (!inSection.has(entry.key)) {
    return [{ place: entry.place, message: unknownWord(entry.key, inSection) }];
  }
  const dotted = `${section}${entry.key}`;
  const key = SETTINGS.find((setting) => setting.key === dotted)?.key ?? shortForm(entry, dotted);
  if (key !== undefined) {
    if (entry.value !== undefined) layer.set(key, foundAt(entry));
    return [];
  }
  if (entry.entries !== undefined) {
    return entry.entries.flatMap((inner) => takeEntry(inner, `${dotted}.`, layer));
  }
  if (entry.value === undefined) return [];
  const message = `${dotted} is a section that holds ${[...keysIn(`${dotted}.`)].join(", ")}`;
  return [{ place: entry.valuePlace, message }];
}

function foundAt({ value: raw, valuePlace: place, entries }: YamlEntry): Found {
  if (entries === undefined) return { raw, place };
  return { raw, place, entryPlaces: new Map(entries.map((inner) => [inner.key, inner.place])) };
}

/** `redis: redis://host` says the same as `redis: {url: redis://host}`. */
function shortForm({ entries }: YamlEntry, dotted: string): SettingKey | undefined {
  return dotted === "redis" && entries === undefined ? "redis.url" : undefined;
}

/** The keys that may stand in a section of the file: settings and, at the top, sections. */
function keysIn(section: string): ReadonlySet<string> {
  const inside = SETTINGS.filter(({ key }) => key.startsWith(section));
  return new Set(inside.map(({ key }) => key.slice(section.length).replace(/\..*$/, "")));
}

function isUnset(value: string | undefined): value is undefined | "" {
  return value === undefined || value === "";
}

function toSecrets(config: Config, { apiKey, ...others }: Secrets): Secrets {
  return apiKey === undefined || config.agent.auth === "none" ? others : { ...others, apiKey };
}

/** Lower case wins, as with other programs. */
function toProxy(env: Environment): Proxy {
  const look = (name: string): string | undefined =>
    env[name] || env[name.toUpperCase()] || undefined;
  const [httpProxy, httpsProxy, noProxy] = ["http_proxy", "https_proxy", "no_proxy"].map(look);
  return {
    ...(httpProxy === undefined ? {} : { httpProxy }),
    ...(httpsProxy === undefined ? {} : { httpsProxy }),
    ...(noProxy === undefined ? {} : { noProxy }),
  };
}

function toMachine({ env, home }: ConfigInput): LoadedConfig["machine"] {
  const redisServer = env["ONBOARD_BATCH_REDIS_SERVER"] || undefined;
  const folder = env["XDG_STATE_HOME"] || path.join(home, ".local", "state");
  return {
    searchPath: env["PATH"] ?? "",
    stateDir: path.join(folder, "onboard-batch"),
    ...(redisServer === undefined ? {} : { redisServer }),
  };
}
