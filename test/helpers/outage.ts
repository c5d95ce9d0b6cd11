import { setTimeout as delay } from "node:timers/promises";
import { expect, type TestContext } from "vitest";
import { gateKey } from "../../src/redis/keys.ts";
import type { AgentGateway, Treatment } from "./agent-gateway.ts";
import type { CliProcess } from "./cli-process.ts";
import { doneRows } from "./progress-watch.ts";
import { expectIdentity, expectSettledOnce } from "./settled-once.ts";
import { openStage, type Stage } from "./stage.ts";

/** The ways in which an agent is away. */
export const OUTAGES = [
  "refuses connections",
  "answers 503",
  "answers -32603",
  "is silent",
] as const;

export interface OutagePlan {
  readonly kind: (typeof OUTAGES)[number];
  readonly outageMs: number;
  readonly workers: number;
}

const ROWS = 240;
const DONE_BEFORE = 60;
const BACK_WITHIN_MS = 3_000;
/** Answers that say that it goes again. */
const ANSWERS = 5;
/** Silence is noticed after it; a busy host must not take it for that. */
const REQUEST_TIMEOUT_MS = 4_000;

const TREATMENTS = {
  "refuses connections": undefined,
  "answers 503": { kind: "answer", status: 503 },
  "answers -32603": { kind: "rpc-error", code: -32603 },
  "is silent": { kind: "silence" },
} as const satisfies Record<OutagePlan["kind"], Treatment | undefined>;

/**
 * Takes the agent away from workers and a collector in the middle of a run, and expects that no
 * row fails, that all of them together try once a second, and that they go on soon after its return.
 */
export async function expectOutageSurvived(
  context: Pick<TestContext, "onTestFinished">,
  plan: OutagePlan,
): Promise<void> {
  const { kind, outageMs } = plan;
  const stage = await openStage(context);
  const agent = await stage.agent({ duration: { kind: "uniform", minMs: 100, maxMs: 500 } });
  const gateway = await stage.gateway(agent);
  const watch = stage.watch();
  const file = await stage.partners(ROWS);
  const workers = Array.from({ length: plan.workers }, () => stage.start("worker"));
  const timeout = ["--request-timeout", `${REQUEST_TIMEOUT_MS}ms`];
  await stage.run("ingest", file, "--rate", "30", "--poll-rate", "100", ...timeout);
  const collecting = stage.start("collect", stage.runId);
  await watch.until((reading) => doneRows(reading) >= DONE_BEFORE);

  const beganAtMs = performance.now();
  await beginOutage(gateway, kind);
  await watch.until(({ statusReason }) => statusReason === "agent-down");
  // What was in flight when the breaker opened has its own time to fail.
  await delay(REQUEST_TIMEOUT_MS + 500);
  const failuresBefore = await failuresOf(stage, gateway);
  const fromMs = performance.now();
  await delay(Math.max(2_500, outageMs - (fromMs - beganAtMs)));
  const lastedS = (performance.now() - fromMs) / 1_000;
  // One at each end of the time that was watched.
  const failures = (await failuresOf(stage, gateway)) - failuresBefore;
  expect(failures).toBeGreaterThan(0);
  expect(failures).toBeLessThanOrEqual(Math.ceil(lastedS) + 1);
  const arrived = gateway.calls.filter(({ atMs }) => atMs > fromMs).length;
  expect(arrived).toBeLessThanOrEqual(Math.ceil(lastedS) + 1);

  await endOutage(gateway);
  const backAtMs = performance.now();
  const callsBefore = gateway.calls.length;
  while (gateway.calls.length - callsBefore < ANSWERS) {
    expect(performance.now() - backAtMs).toBeLessThan(BACK_WITHIN_MS + 200);
    await delay(50);
  }

  const end = await collecting.ended;
  expect(end.exitCode, end.stderr).toBe(0);
  await expectSettledOnce({ stage, agent, rows: ROWS });
  expectIdentity(watch, ROWS);
  await stopWell(workers);
}

async function beginOutage(gateway: AgentGateway, kind: OutagePlan["kind"]): Promise<void> {
  const treatment = TREATMENTS[kind];
  if (treatment === undefined) await gateway.cut();
  else gateway.treat(() => treatment);
}

/** An agent that was silent breaks the connections on which it owes answers. */
async function endOutage(gateway: AgentGateway): Promise<void> {
  gateway.treat();
  await gateway.cut();
  await gateway.mend();
}

/** The failed calls in a row that all processes have told the breaker of. */
async function failuresOf(stage: Stage, gateway: AgentGateway): Promise<number> {
  const key = gateKey(new URL(gateway.url).origin, undefined);
  return Number(await stage.redis.hget(key, "failed"));
}

/** A worker that is told to stop has stopped well. */
export async function stopWell(workers: readonly CliProcess[]): Promise<void> {
  for (const worker of workers) worker.signal("SIGTERM");
  for (const worker of workers) {
    const end = await worker.ended;
    expect(end.exitCode, end.stderr).toBe(0);
  }
}
