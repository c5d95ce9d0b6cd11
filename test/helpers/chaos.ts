import { setTimeout as delay } from "node:timers/promises";
import { expect, type TestContext } from "vitest";
import type { CliProcess } from "./cli-process.ts";
import type { PrivateRedis } from "./redis-for-tests.ts";
import { expectIdentity, expectSettledOnce } from "./settled-once.ts";
import { openStage, type Stage, type StageAgent } from "./stage.ts";

/** What is done to a run; the same seed chooses the same victims and times. */
export interface ChaosPlan {
  readonly seed: number;
  readonly rows: number;
  readonly workers: number;
  /** kill -9 of the run's processes, each started again at once. */
  readonly kills: number;
  /** kill -9 of Redis, which is started again with what its append-only file has. */
  readonly redisKills: number;
  /** Time from one kill to the next, ms. */
  readonly everyMs: { readonly least: number; readonly most: number };
  /** SendMessage per second. */
  readonly rate: number;
}

/** What it came to. */
export interface ChaosEnd {
  readonly tookMs: number;
  readonly repeatedSends: number;
}

/** Calls in flight in one process. */
const IN_FLIGHT = 8;

/**
 * Kills workers, collector and Redis at random moments until the plan is fulfilled, and expects every
 * row settled once, paid for once, and none failed for it.
 */
export async function expectChaosSurvived(
  context: Pick<TestContext, "onTestFinished">,
  plan: ChaosPlan,
): Promise<ChaosEnd> {
  const startedAtMs = performance.now();
  const { stage, redis, agent } = await setUp(context);
  const watch = stage.watch();
  const file = await stage.partners(plan.rows);
  const rates = ["--rate", String(plan.rate), "--poll-rate", String(plan.rate * 5)];
  const ingested = await stage.run("ingest", file, ...rates);
  expect(ingested.exitCode, ingested.stderr).toBe(0);

  const starts = [
    () => stage.start("collect", stage.runId),
    ...Array.from(
      { length: plan.workers },
      () => () => stage.start("worker", "--concurrency", String(IN_FLIGHT)),
    ),
  ];
  const processes = starts.map((start) => start());
  await rampage({ plan, redis, starts, processes });
  // Whatever is settled by now, was settled under fire.
  expect(Number(watch.readings.at(-1)?.["pending"])).toBeGreaterThan(0);

  const [collecting, ...workers] = processes;
  const end = await collecting?.ended;
  expect(end?.exitCode, end?.stderr).toBe(0);
  await expectSettledOnce({ stage, agent, rows: plan.rows });
  expectIdentity(watch, plan.rows);
  const { repeatedMessageIds: repeatedSends } = agent.stats();
  expect(repeatedSends).toBeLessThanOrEqual((plan.kills + plan.redisKills) * IN_FLIGHT);
  for (const worker of workers) worker.signal("SIGTERM");
  for (const worker of workers) expect((await worker.ended).exitCode).toBe(0);
  return { tookMs: performance.now() - startedAtMs, repeatedSends };
}

async function setUp(
  context: Pick<TestContext, "onTestFinished">,
): Promise<{ stage: Stage; redis: PrivateRedis; agent: StageAgent }> {
  const stage = await openStage(context);
  const redis = await stage.privateRedis({ durable: true, config: ["appendfsync everysec"] });
  const agent = await stage.agent({
    duration: { kind: "uniform", minMs: 100, maxMs: 900 },
    faults: [{ effect: { kind: "slow", ms: 50 } }],
  });
  return { stage, redis, agent };
}

interface Rampage {
  readonly plan: ChaosPlan;
  readonly redis: PrivateRedis;
  readonly starts: readonly (() => CliProcess)[];
  readonly processes: CliProcess[];
}

async function rampage({ plan, redis, starts, processes }: Rampage): Promise<void> {
  const random = createRandom(plan.seed);
  const { kills, redisKills, everyMs } = plan;
  const redisAfter = new Set(
    Array.from({ length: redisKills }, (_, index) =>
      Math.floor(((index + 1) * kills) / (redisKills + 1)),
    ),
  );
  for (let killed = 1; killed <= kills; killed += 1) {
    await delay(everyMs.least + random() * (everyMs.most - everyMs.least));
    const victim = Math.floor(random() * starts.length);
    await processes[victim]?.kill();
    const start = starts[victim];
    if (start !== undefined) processes[victim] = start();
    if (!redisAfter.has(killed)) continue;
    await redis.kill();
    await delay(random() * 1_000);
    await redis.restart();
  }
}

/** Mulberry32: numbers from 0 to below 1, the same ones for the same seed. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
