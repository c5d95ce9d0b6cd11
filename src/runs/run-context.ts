import type { Transport } from "../a2a/transport.ts";
import type { Config } from "../config/schema.ts";
import type { ExitCode } from "../core/exit-code.ts";
import type { Log } from "../core/log.ts";
import type { Progress } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RunSummaryFile } from "../core/summary.ts";
import type { RedisHandle } from "../redis/connect.ts";
import type { AgentCondition } from "../redis/gate-queue.ts";
import type { AnswerStore } from "./answer-store.ts";
import type { RunFolder } from "./run-folder.ts";

/** What a process shows of its run while it works; known without asking Redis. */
export interface RunView {
  readonly settings: RunSettings;
  readonly progress: () => Progress | undefined;
  readonly sendPerSecond: () => number;
  readonly condition: () => AgentCondition;
  readonly isRedisAway: () => boolean;
}

/** The agent as this process reaches it. */
export interface AgentAccess {
  /** For the sandbox inside the process its address there. */
  readonly url: string;
  readonly transport: Transport;
}

/** What a process brings to its runs. */
export interface ProcessDeps {
  readonly redis: RedisHandle;
  readonly apiKey: string | undefined;
  /** Calls in flight, all runs together. */
  readonly concurrency: number;
  /** This host's state folder. */
  readonly stateDir: string;
  readonly log: Log;
  /** `--log-data`: whether the log may hold the agent's words about partners. */
  readonly logData: boolean;
  /** Lines for people. */
  readonly warn: (text: string) => void;
  readonly openAgent: () => Promise<AgentAccess>;
}

export interface RunFileDeps extends Omit<ProcessDeps, "redis"> {
  readonly config: Config;
  /** Absolute. */
  readonly outDir: string;
  /** What the file `-` is. */
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly openRedis: () => Promise<RedisHandle>;
  /** Aborted by the first SIGINT or SIGTERM; its reason is the exit code. */
  readonly stopSignal: AbortSignal;
  readonly onView: (view: RunView) => void;
}

/** Where a process keeps answers for later runs. */
export function answerStoreOf({
  config,
  stateDir,
}: Pick<RunFileDeps, "config" | "stateDir">): AnswerStore {
  return { stateDir, keptMs: config.retention.answersMs };
}

/** How a run command ended for one file. */
export interface RunEnd {
  readonly runId: string;
  readonly exitCode: ExitCode;
  readonly folder: RunFolder;
  /** Undefined when the run goes on with the next start. */
  readonly summary: RunSummaryFile | undefined;
  /** Whether it was settled before this command, so that nothing was sent. */
  readonly wasSettled: boolean;
  readonly error: unknown;
}
