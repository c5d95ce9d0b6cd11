import { test } from "vitest";
import { expectChaosSurvived } from "../helpers/chaos.ts";

test("1,000 rows survive 40 kills of three workers and a collector, and two of Redis", {
  timeout: 240_000,
}, async (context) => {
  await expectChaosSurvived(context, {
    seed: 4,
    rows: 1_000,
    workers: 3,
    kills: 40,
    redisKills: 2,
    everyMs: { least: 200, most: 900 },
    rate: 40,
  });
});
