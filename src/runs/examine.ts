import { mkdtemp, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";
import { errorText } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { type Finding, findingOfError } from "../core/finding.ts";
import { isSupportedNode, SUPPORTED_NODE } from "../core/node-version.ts";
import type { RedisHandle } from "../redis/connect.ts";
import { readServerFacts, type ServerFacts } from "../redis/server-facts.ts";
import { type ExamineAgentDeps, examineAgent } from "./examine-agent.ts";

export interface ExamineDeps extends ExamineAgentDeps {
  /** As in `process.versions.node`. */
  readonly nodeVersion: string;
  /** Absolute. */
  readonly outDir: string;
  readonly stateDir: string;
  readonly openRedis: () => Promise<RedisHandle>;
}

const GIB = 1024 ** 3;
const LITTLE_SPACE_BYTES = GIB;

/**
 * Looks at everything a run needs, without sending a message or keeping anything.
 *
 * @yields each finding as it is made
 */
export async function* examine(deps: ExamineDeps): AsyncIterable<Finding> {
  yield examineNode(deps.nodeVersion);
  yield await examineRedis(deps);
  yield* examineAgent(deps);
  yield await examineFolder("Output folder", deps.outDir);
  yield await examineFolder("State folder", deps.stateDir);
}

function examineNode(version: string): Finding {
  const base = { what: "Node", found: version };
  if (isSupportedNode(version)) return { ...base, verdict: "ok" };
  const mend = `use a Node of ${SUPPORTED_NODE}`;
  return { ...base, verdict: "fail", mend, exitCode: EXIT.usage };
}

async function examineRedis({ config, openRedis }: ExamineDeps): Promise<Finding> {
  const what = "Redis";
  try {
    const { client, name } = await openRedis();
    const facts = await readServerFacts(client);
    const place = config.redis.kind === "managed" ? "managed" : name;
    return judgeServers(place, facts);
  } catch (error) {
    return findingOfError(what, error);
  }
}

/** Versions and policies that no run would take were refused when it was opened. */
function judgeServers(place: string, facts: readonly ServerFacts[]): Finding {
  const found = [place, ...new Set(facts.map(describeServer))].join("; ");
  const base = { what: "Redis", found };
  const policies = facts.map(({ evictionPolicy }) => evictionPolicy);
  if (policies.some((policy) => policy !== "noeviction")) {
    const mend =
      "make sure that maxmemory-policy is noeviction: keys that are thrown away are rows";
    return { ...base, verdict: "warn", mend };
  }
  if (facts.some(({ persistence }) => persistence !== "append-only file")) {
    const mend =
      "set appendonly yes: else rows in flight when the server restarts are sent again from the journal";
    return { ...base, verdict: "warn", mend };
  }
  return { ...base, verdict: "ok" };
}

function describeServer({ version, evictionPolicy, persistence }: ServerFacts): string {
  return [
    `version ${version ?? "not told"}`,
    `eviction policy ${evictionPolicy ?? "not told"}`,
    `persistence ${persistence ?? "not told"}`,
  ].join(", ");
}

/** The folder itself, or the nearest one above it that there is: there it would be made. */
async function examineFolder(what: string, folder: string): Promise<Finding> {
  try {
    const existing = await nearestFolder(folder);
    await rm(await mkdtemp(path.join(existing, ".onboard-batch-")), { recursive: true });
    const { bavail, bsize } = await statfs(existing);
    const freeBytes = bavail * bsize;
    const found = `${folder}, ${(freeBytes / GIB).toFixed(1)} GiB free`;
    if (freeBytes >= LITTLE_SPACE_BYTES) return { what, verdict: "ok", found };
    return { what, verdict: "warn", found, mend: "make room before a large run" };
  } catch (error) {
    return {
      what,
      verdict: "fail",
      found: `${folder} cannot be written: ${errorText(error)}`,
      mend: "mend its permissions, or choose another folder",
      exitCode: EXIT.unavailable,
    };
  }
}

async function nearestFolder(folder: string): Promise<string> {
  const parent = path.dirname(folder);
  if (parent === folder) return folder;
  try {
    await stat(folder);
    return folder;
  } catch {
    return nearestFolder(parent);
  }
}
