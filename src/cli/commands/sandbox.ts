import { once } from "node:events";
import path from "node:path";
import { faultsError } from "../../config/faults.ts";
import type { LoadedConfig } from "../../config/resolve-config.ts";
import { readYamlFile, type YamlEntry } from "../../config/yaml-file.ts";
import { EXIT } from "../../core/exit-code.ts";
import { createSandbox } from "../../sandbox/agent.ts";
import { type SandboxOptions, sandboxOptionsSchema } from "../../sandbox/options.ts";
import type { RunCommand } from "../command.ts";
import { createStopSignals } from "../signals.ts";

const DEFAULT_PORT = 8_091;

/** `onboard-batch sandbox`: runs until a signal ends it, exit 0. */
export const sandbox: RunCommand = async ({ flags }, { io, output, loadConfig }) => {
  const loaded = await loadConfig();
  const { faults } = flags;
  const ordered = typeof faults === "string" ? await readOptions(path.resolve(io.cwd, faults)) : {};
  const agent = createSandbox({ ...ordered, ...addressOf(loaded, ordered) });
  const ending = new AbortController();
  const { signals, now, exitNow } = io;
  const stopSignals = createStopSignals({ signals, now, exitNow, onStop: () => ending.abort() });
  stopSignals.start();
  try {
    const address = await agent.start();
    const { json, quiet } = loaded.config.terminal;
    if (json) output.jsonResult(address);
    else output.result(address.url);
    if (!quiet) output.say("A simulated agent; Ctrl-C ends it.");
    if (!ending.signal.aborted) await once(ending.signal, "abort");
  } finally {
    stopSignals.stop();
    await agent.stop();
  }
  return EXIT.ok;
};

/** Where to listen: what was set, else what the faults file says, else the default. */
function addressOf(
  { config, sources }: LoadedConfig,
  ordered: SandboxOptions,
): { host: string; port: number } {
  const isHostSet = sources.get("host") !== "default";
  return {
    host: isHostSet ? config.server.host : (ordered.host ?? config.server.host),
    port: config.server.port ?? ordered.port ?? DEFAULT_PORT,
  };
}

const FAULTS_HINT = "config/sandbox-faults.example.yaml shows what can be ordered";

/** Reads and checks the faults file; each fault is told with its line. */
async function readOptions(file: string): Promise<SandboxOptions> {
  const { entries, faults } = await readYamlFile(file);
  if (faults.length > 0) throw faultsError(faults, FAULTS_HINT);
  const raw = Object.fromEntries(entries.map(({ key, value }) => [key, value]));
  const parsed = sandboxOptionsSchema.safeParse(raw);
  if (parsed.success) return parsed.data;
  const wrong = parsed.error.issues.flatMap((issue) => toFaults(issue, entries));
  throw faultsError(
    wrong.map(({ place, message }) => ({ place: place ?? file, message })),
    FAULTS_HINT,
  );
}

/** An issue with the line it is about; an unknown key is about its own. */
function toFaults(
  issue: {
    readonly path: readonly PropertyKey[];
    readonly message: string;
    readonly keys?: readonly string[];
  },
  entries: readonly YamlEntry[],
): readonly { readonly place: string | undefined; readonly message: string }[] {
  const way = issue.path.map(String);
  if (issue.keys !== undefined) {
    return issue.keys.map((key) => ({
      place: findPlace(entries, [...way, key]),
      message: `"${key}" is not known`,
    }));
  }
  return [{ place: findPlace(entries, way), message: `${way.join(".")}: ${issue.message}` }];
}

/** `file:line:column` of the innermost key on the way that the file has. */
function findPlace(
  entries: readonly YamlEntry[],
  [key, ...way]: readonly string[],
): string | undefined {
  const entry = entries.find((one) => one.key === key);
  if (entry === undefined) return undefined;
  return findPlace(entry.entries ?? entry.items ?? [], way) ?? entry.place;
}
