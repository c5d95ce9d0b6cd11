import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Redis } from "ioredis";
import type { TestContext } from "vitest";
import { inject } from "vitest";
import type { Sandbox } from "../../src/sandbox/agent.ts";
import { createSandbox } from "../../src/sandbox/agent.ts";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import type { AgentGateway } from "./agent-gateway.ts";
import { startGateway } from "./agent-gateway.ts";
import type { CliEnd, CliProcess } from "./cli-process.ts";
import { startCli } from "./cli-process.ts";
import { partnerCsv } from "./partner-file.ts";
import type { ProgressWatch } from "./progress-watch.ts";
import { watchProgress } from "./progress-watch.ts";
import type { PrivateRedis, PrivateRedisOptions } from "./redis-for-tests.ts";
import { startPrivateRedis } from "./redis-for-tests.ts";

/** A simulated agent that listens. */
export interface StageAgent extends Pick<Sandbox, "stats"> {
  readonly url: string;
}

/** What a test may change in the environment of its commands; undefined takes a name out. */
export type EnvChange = Readonly<Record<string, string | undefined>>;

/**
 * Everything one test needs around the command, in a folder of its own. All that was started ends
 * with the test.
 */
export interface Stage {
  readonly dir: string;
  readonly outDir: string;
  /** The Redis of all tests. */
  readonly redisUrl: string;
  /** The id of the runs of this stage's commands: their ONBOARD_BATCH_RUN_ID. */
  readonly runId: string;
  /** A client of the Redis of all tests. */
  readonly redis: Redis;
  /** Starts an agent, and makes it the one that commands call unless told otherwise. */
  agent(options?: SandboxOptions): Promise<StageAgent>;
  /** Puts a gateway before an agent, and makes commands call through it. */
  gateway(agent: StageAgent, begins?: "open" | "cut"): Promise<AgentGateway>;
  /** Starts a Redis of this test's own, and makes commands use it. */
  privateRedis(options?: PrivateRedisOptions): Promise<PrivateRedis>;
  /** Sets names in the environment of all further commands. */
  setEnv(change: EnvChange): void;
  /** @returns the path */
  write(name: string, text: string): Promise<string>;
  /** Writes a partner file of so many rows, all different. @returns its path */
  partners(rows: number, name?: string): Promise<string>;
  /** Starts the command. */
  start(...words: string[]): CliProcess;
  /** Runs the command to its end. */
  run(...words: string[]): Promise<CliEnd>;
  /** Watches the run `runId` (the stage's own unless given) in the Redis of its commands. */
  watch(runId?: string): ProgressWatch;
}

export interface SharedStage extends Stage {
  close(): Promise<void>;
}

/** The stage of one test, which ends with it. */
export async function openStage({
  onTestFinished,
}: Pick<TestContext, "onTestFinished">): Promise<Stage> {
  const stage = await openSharedStage();
  onTestFinished(() => stage.close());
  return stage;
}

/** A stage for several tests; whoever opens it closes it. */
export async function openSharedStage(): Promise<SharedStage> {
  const closers: (() => unknown)[] = [];
  const stage = await createStage(closers);
  return {
    ...stage,
    close: async () => {
      for (const close of closers.toReversed()) await close();
    },
  };
}

async function createStage(closers: (() => unknown)[]): Promise<Stage> {
  const dir = await mkdtemp(path.join(tmpdir(), "onboard-batch-e2e-"));
  closers.push(() => rm(dir, { recursive: true, force: true }));
  closers.push(() => endManagedRedis(dir));
  const redisUrl = inject("redisUrl");
  const redis = new Redis(redisUrl);
  closers.push(() => redis.disconnect());
  const tag = path.basename(dir).slice(-6);
  const runId = `e2e-${tag}`;
  const outDir = path.join(dir, "out");
  let env: Record<string, string> = {
    PATH: process.env["PATH"] ?? "",
    HOME: dir,
    XDG_STATE_HOME: path.join(dir, "state"),
    XDG_CONFIG_HOME: path.join(dir, "config"),
    ONBOARD_BATCH_OUT: outDir,
    ONBOARD_BATCH_REDIS: redisUrl,
    ONBOARD_BATCH_RUN_ID: runId,
  };

  function setEnv(change: EnvChange): void {
    const entries = Object.entries({ ...env, ...change });
    env = Object.fromEntries(
      entries.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  }

  function start(...words: string[]): CliProcess {
    const child = startCli(words, { cwd: dir, env });
    closers.push(() => child.kill());
    return child;
  }

  async function write(name: string, text: string): Promise<string> {
    const file = path.join(dir, name);
    await writeFile(file, text);
    return file;
  }

  return {
    dir,
    outDir,
    redisUrl,
    runId,
    redis,
    async agent(options) {
      const sandbox = createSandbox(options);
      closers.push(() => sandbox.stop());
      const { url } = await sandbox.start();
      setEnv({ ONBOARD_BATCH_AGENT_URL: url });
      return { url, stats: () => sandbox.stats() };
    },
    async gateway({ url }, begins) {
      const gateway = await startGateway(url, begins);
      closers.push(() => gateway.stop());
      setEnv({ ONBOARD_BATCH_AGENT_URL: gateway.url });
      return gateway;
    },
    async privateRedis(options) {
      const own = await startPrivateRedis(options);
      closers.push(() => own.stop());
      setEnv({ ONBOARD_BATCH_REDIS: own.url });
      return own;
    },
    setEnv,
    write,
    partners: (rows, name = "partners.csv") => write(name, partnerCsv({ rows, tag })),
    start,
    run: (...words) => start(...words).ended,
    watch(watchedRunId = runId) {
      const watch = watchProgress(env["ONBOARD_BATCH_REDIS"] ?? redisUrl, watchedRunId);
      closers.push(() => watch.stop());
      return watch;
    },
  };
}

/** The folder in which `run` without a Redis keeps its server. */
export function managedFolder(dir: string): string {
  return path.join(dir, "state", "onboard-batch", "redis");
}

/** A private server that outlived its command must not outlive its test. */
async function endManagedRedis(dir: string): Promise<void> {
  const socket = path.join(managedFolder(dir), "redis.sock");
  if (!existsSync(socket)) return;
  const client = new Redis({ path: socket, retryStrategy: () => null });
  client.on("error", () => {
    // Nobody listens any more.
  });
  // The server hangs up instead of answering.
  await client.shutdown("NOSAVE").catch(() => undefined);
  client.disconnect();
}
