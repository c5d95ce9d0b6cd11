import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { loseSince, markAof } from "../helpers/lost-second.ts";
import { expectOutageSurvived, OUTAGES, stopWell } from "../helpers/outage.ts";
import { doneRows } from "../helpers/progress-watch.ts";
import { expectIdentity, expectSettledOnce } from "../helpers/settled-once.ts";
import { openStage } from "../helpers/stage.ts";

const PATIENCE = { timeout: 300_000 };

describe("an agent that is away for 30 s", PATIENCE, () => {
  test.for(OUTAGES)("and %s fails no row of three workers", async (kind, context) => {
    await expectOutageSurvived(context, { kind, outageMs: 30_000, workers: 3 });
  });
});

describe("a Redis under three workers and a collector", PATIENCE, () => {
  test.for([
    ["is away for 60 s", 60_000, 300],
    ["loses its last second", 0, 1_000],
  ] as const)("that %s costs no row anything", async ([, awayMs, rows], context) => {
    const stage = await openStage(context);
    const redis = await stage.privateRedis({ durable: true, config: ["appendfsync everysec"] });
    const agent = await stage.agent({
      duration: { kind: "uniform", minMs: 100, maxMs: 900 },
      faults: [{ effect: { kind: "slow", ms: 50 } }],
    });
    const watch = stage.watch();
    const file = await stage.partners(rows);
    const workers = [1, 2, 3].map(() => stage.start("worker"));
    await stage.run("ingest", file, "--rate", "50", "--poll-rate", "250");
    const collecting = stage.start("collect", stage.runId);
    await watch.until((reading) => doneRows(reading) >= 100);
    const mark = await markAof(redis);
    if (awayMs > 0) {
      await redis.kill();
      await delay(awayMs);
      await redis.restart();
    } else {
      await watch.until((reading) => doneRows(reading) >= 150);
      await loseSince(redis, mark);
    }
    const end = await collecting.ended;
    expect(end.exitCode, end.stderr).toBe(0);
    await expectSettledOnce({ stage, agent, rows });
    expectIdentity(watch, rows);
    await stopWell(workers);
  });
});
