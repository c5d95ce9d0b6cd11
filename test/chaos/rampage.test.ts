import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { expectChaosSurvived } from "../helpers/chaos.ts";

/** How long to go on with new rounds, and the seed of the first one. */
const LASTS_MS = Number(process.env["CHAOS_SECONDS"] ?? "300") * 1_000;
const GIVEN_SEED = process.env["CHAOS_SEED"];

const ROUND_LIMIT_MS = 300_000;

test("rounds of kills lose no row and pay for none twice", {
  timeout: LASTS_MS + ROUND_LIMIT_MS,
}, async (context) => {
  const untilMs = performance.now() + LASTS_MS;
  let rounds = 0;
  do {
    rounds += 1;
    const isGiven = rounds === 1 && GIVEN_SEED !== undefined;
    const seed = isGiven ? Number(GIVEN_SEED) : randomInt(2 ** 31);
    // Before the round: a seed that fails can be given again.
    process.stderr.write(`chaos: round ${rounds}, CHAOS_SEED=${seed}\n`);
    const { tookMs, repeatedSends } = await expectChaosSurvived(context, {
      seed,
      rows: 1_000,
      workers: 3,
      kills: 40,
      redisKills: 2,
      everyMs: { least: 200, most: 900 },
      rate: 40,
    });
    process.stderr.write(
      `chaos: survived in ${Math.round(tookMs / 1_000)} s, ${repeatedSends} messages sent again\n`,
    );
  } while (performance.now() < untilMs);
  expect(rounds).toBeGreaterThan(0);
});
