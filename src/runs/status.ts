import { hostname } from "node:os";
import { OnboardError } from "../core/errors.ts";
import type { Progress } from "../core/progress.ts";
import { isSettled } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RunSummaryFile } from "../core/summary.ts";
import { buildSummary } from "../core/summary.ts";
import type { AgentAway } from "../redis/agent-away.ts";
import { readAgentAway, readRedisNowMs } from "../redis/agent-away.ts";
import type { RedisClient } from "../redis/connect.ts";
import { gateKey } from "../redis/keys.ts";
import type { OutputPlace } from "../redis/run-record.ts";
import { RunRecord } from "../redis/run-record.ts";
import { agentOrigin } from "./agent-gate.ts";
import type { FoundRun } from "./find-run.ts";
import type { RunFacts } from "./run-facts.ts";
import { factsFromDisk, factsInRedis, factsOfSettings, factsOfSummary } from "./run-facts.ts";
import { listOutputFiles, runFolder, settledSummary } from "./run-folder.ts";

/** Whether anybody works on a run. */
export type RunActivity =
  | { readonly kind: "settled" }
  | { readonly kind: "worked-on"; readonly heartbeatAgeMs: number }
  | { readonly kind: "left"; readonly heartbeatAgeMs: number }
  /** Redis cannot be asked, or does not know the run. */
  | { readonly kind: "unknown" };

/** What can be told about the agent of a run that is not settled. */
type AgentState =
  | { readonly kind: "there" }
  /** `since` is known only with the key that the run's processes have. */
  | { readonly kind: "away"; readonly since: AgentAway | undefined };

/** One run as `status` shows it. */
export interface RunStanding {
  /** What `--json` prints. */
  readonly summary: RunSummaryFile;
  readonly activity: RunActivity;
  readonly agent: AgentState;
  /** Undefined when only a summary is left of the run. */
  readonly settings: RunSettings | undefined;
  /** Where the outputs are; undefined before the run's journal has begun. */
  readonly place: OutputPlace | undefined;
}

export interface StandingDeps {
  /** Absolute. */
  readonly outDir: string;
  readonly redis: RedisClient | undefined;
  readonly apiKey: string | undefined;
  /** Lines for people. */
  readonly warn: (text: string) => void;
}

/** `heartbeatAt` is at most 5 s old while any process works on a run; three of those are a silence. */
const SILENCE_MS = 15_000;

/** How a run stands, from whoever knows it best: a settled summary, Redis, else journal and input. */
export async function readStanding(deps: StandingDeps, run: FoundRun): Promise<RunStanding> {
  const { redis } = deps;
  const { runId, settings } = run;
  const place = await placeOf(deps, run);
  const { facts, activity } = await readFacts(deps, run);
  const isHere = place?.host === hostname();
  const files = isHere ? await listOutputFiles(place.dir) : [];
  const summary = buildSummary({ runId, ...facts, files });
  const isAway = activity.kind !== "settled" && facts.progress.statusReason === "agent-down";
  const agent: AgentState = isAway
    ? { kind: "away", since: await readAway(redis, settings, deps.apiKey) }
    : { kind: "there" };
  return { summary, activity, agent, settings, place };
}

interface FactsNow {
  readonly facts: RunFacts;
  readonly activity: RunActivity;
}

async function readFacts(deps: StandingDeps, run: FoundRun): Promise<FactsNow> {
  const { redis } = deps;
  const { runId, onDisk } = run;
  const settled = onDisk === undefined ? undefined : settledSummary(onDisk);
  if (settled !== undefined) {
    return { facts: factsOfSummary(settled), activity: { kind: "settled" } };
  }
  const facts = redis === undefined ? undefined : await factsInRedis(redis, runId);
  if (redis !== undefined && facts !== undefined) {
    const activity = computeActivity(facts.progress, await readRedisNowMs(redis));
    return { facts, activity };
  }
  return { facts: await factsOffline(deps, run), activity: { kind: "unknown" } };
}

/** Whether a process works on the run, by the age of its heartbeat. */
export function computeActivity(
  { status, heartbeatAt }: Pick<Progress, "status" | "heartbeatAt">,
  nowMs: number,
): RunActivity {
  if (isSettled(status)) return { kind: "settled" };
  const heartbeatAgeMs = nowMs - (Date.parse(heartbeatAt) || 0);
  return { kind: heartbeatAgeMs > SILENCE_MS ? "left" : "worked-on", heartbeatAgeMs };
}

/** Without Redis the disk is counted; where that cannot be, an earlier report counts. */
async function factsOffline(
  { outDir, warn }: StandingDeps,
  { runId, onDisk, settings }: FoundRun,
): Promise<RunFacts> {
  const earlier =
    onDisk?.summary === undefined ? factsOfSettings(settings) : factsOfSummary(onDisk.summary);
  if (onDisk?.header === undefined) return earlier;
  try {
    return await factsFromDisk(onDisk, runFolder(outDir, runId));
  } catch (error) {
    if (!(error instanceof OnboardError)) throw error;
    warn(`the rows of ${runId} cannot be counted: ${error.message}`);
    return earlier;
  }
}

async function placeOf(
  { outDir, redis }: StandingDeps,
  { runId, onDisk }: FoundRun,
): Promise<OutputPlace | undefined> {
  const claimed = redis === undefined ? undefined : await new RunRecord(redis, runId).outputPlace();
  if (claimed !== undefined || onDisk === undefined) return claimed;
  return { host: hostname(), dir: runFolder(outDir, runId).dir };
}

async function readAway(
  redis: RedisClient | undefined,
  settings: RunSettings | undefined,
  apiKey: string | undefined,
): Promise<AgentAway | undefined> {
  if (redis === undefined || settings === undefined) return undefined;
  return readAgentAway(redis, gateKey(agentOrigin(settings.agentUrl), apiKey));
}
