import { describe, expect, test } from "vitest";
import type { GatewayCall } from "../helpers/agent-gateway.ts";
import { expectOutageSurvived, OUTAGES, stopWell } from "../helpers/outage.ts";
import { doneRows, identityOf } from "../helpers/progress-watch.ts";
import { expectSettledOnce, sendsByMessage } from "../helpers/settled-once.ts";
import { openStage } from "../helpers/stage.ts";

/** Enough for a machine that is busy with other things; a quiet one takes a fraction. */
const PATIENCE = { timeout: 180_000 };

/** `npm run chaos` does it with three workers, one kind after the other. */
const OUTAGE_MS = 30_000;

describe.concurrent("an agent that is away in the middle of a run", PATIENCE, () => {
  test.for(OUTAGES)(
    "and %s fails no row, and is tried once a second by all together",
    async (kind, context) => {
      await expectOutageSurvived(context, { kind, outageMs: OUTAGE_MS, workers: 2 });
    },
  );
});

// One after the other: when calls arrive is measured.
describe("an agent that throttles", PATIENCE, () => {
  test.for<readonly [string, () => string]>([
    ["seconds", () => "3"],
    ["a date", () => new Date(Date.now() + 3_000).toUTCString()],
  ])(
    "with Retry-After in %s gets no call from any process for 3 s",
    async ([, retryAfter], context) => {
      const rows = 150;
      const stage = await openStage(context);
      const agent = await stage.agent({ duration: { kind: "uniform", minMs: 100, maxMs: 400 } });
      const gateway = await stage.gateway(agent);
      const watch = stage.watch();
      const file = await stage.partners(rows);
      const workers = [1, 2].map(() => stage.start("worker"));
      await stage.run("ingest", file, "--rate", "30", "--poll-rate", "100");
      const collecting = stage.start("collect", stage.runId);
      await watch.until((reading) => doneRows(reading) >= 40);
      let throttled: GatewayCall | undefined;
      gateway.treat((call) => {
        if (throttled !== undefined || call.method !== "SendMessage") return undefined;
        throttled = call;
        return { kind: "answer", status: 429, headers: { "retry-after": retryAfter() } };
      });
      const end = await collecting.ended;
      expect(end.exitCode, end.stderr).toBe(0);
      const { summary } = await expectSettledOnce({ stage, agent, rows });
      expect(summary.calls.rateLimited).toBe(1);
      const sinceMs = gateway.calls.map(({ atMs }) => atMs - (throttled?.atMs ?? 0));
      // What had left before the gate was closed still arrives.
      const early = sinceMs.filter((ms) => ms > 300 && ms < 2_900);
      expect(early).toEqual([]);
      expect(sinceMs.filter((ms) => ms >= 2_900 && ms < 4_500).length).toBeGreaterThan(0);
      await stopWell(workers);
    },
  );
});

describe.concurrent("an agent that refuses the key", PATIENCE, () => {
  test("from row 100 on ends the command with exit 4, and with a new key the same one settles all 200", async (context) => {
    const rows = 200;
    const stage = await openStage(context);
    const agent = await stage.agent({ duration: { kind: "fixed", ms: 200 } });
    const gateway = await stage.gateway(agent);
    const watch = stage.watch();
    const words = ["run", await stage.partners(rows), "--rate", "60", "--poll-rate", "200"];
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "first-key-1234" });
    let sends = 0;
    gateway.treat(({ method }): undefined => {
      if (method === "SendMessage") sends += 1;
      if (sends === 99) gateway.allowKey("second-key-1234");
    });
    const refused = await stage.run(...words);
    expect(refused.exitCode, refused.stderr).toBe(4);
    expect(refused.stderr).not.toContain("first-key-1234");
    expect(agent.stats().tasks).toBe(99);
    const reading = await watch.until(({ statusReason }) => statusReason === "credentials");
    expect(identityOf(reading)).toEqual({ total: rows, parts: rows });
    expect(reading).toMatchObject({ status: "running", failed: "0", unprocessed: "0" });
    stage.setEnv({ ONBOARD_BATCH_API_KEY: "second-key-1234" });
    const end = await stage.run(...words);
    expect(end.exitCode, end.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows });
  });
});

describe.concurrent("an agent that ignores returnImmediately", PATIENCE, () => {
  test("and answers in time is only slow", async (context) => {
    const rows = 30;
    const stage = await openStage(context);
    const agent = await stage.agent({
      blocking: "ignore-flag",
      duration: { kind: "fixed", ms: 1_500 },
    });
    const file = await stage.partners(rows);
    const end = await stage.run("run", file, "--rate", "50", "--request-timeout", "10s");
    expect(end.exitCode, end.stderr).toBe(0);
    const { summary } = await expectSettledOnce({ stage, agent, rows });
    expect(summary.calls).toMatchObject({ sendMessage: rows, retries: 0, getTask: 0 });
  });

  test("for longer than the request time-out is told after five sends, and goes on with a longer one", async (context) => {
    const rows = 8;
    const stage = await openStage(context);
    const agent = await stage.agent({
      blocking: "ignore-flag",
      duration: { kind: "fixed", ms: 4_000 },
    });
    const gateway = await stage.gateway(agent);
    const file = await stage.partners(rows);
    const words = ["run", file, "--rate", "50", "--request-timeout", "1s"];
    const stopped = await stage.run(...words);
    expect(stopped.exitCode, stopped.stderr).toBe(5);
    expect(stopped.stderr).toContain("--request-timeout");
    // Each row was sent, and none of them paid for six times.
    expect(Math.max(...sendsByMessage(gateway.calls).values())).toBeLessThanOrEqual(2);
  });
});
