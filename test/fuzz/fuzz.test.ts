import { randomInt } from "node:crypto";
import { describe, test } from "vitest";
import { expectAlways } from "../helpers/fuzz-campaign.ts";
import { hostileFile } from "../helpers/fuzz-files.ts";
import { checkConservation, wildRun } from "../helpers/fuzz-outputs.ts";
import { checkReading } from "../helpers/fuzz-reader.ts";

const CASES = Number(process.env["FUZZ_CASES"] ?? "10000");
const SEED = Number(process.env["FUZZ_SEED"] ?? randomInt(2 ** 31));
/** Of one case, as a failure printed it. */
const PATH = process.env["FUZZ_PATH"];

const campaign = { cases: CASES, seed: SEED, ...(PATH === undefined ? {} : { path: PATH }) };
/** Far beyond what a case may take on a busy machine. */
const TIMEOUT_MS = 60_000 + CASES * 500;

// Before the first case: one that never ends tells nothing afterwards.
process.stderr.write(`fuzz: ${CASES} cases, FUZZ_SEED=${SEED}\n`);

describe("in many cases", { timeout: TIMEOUT_MS }, () => {
  test("a file of any bytes is read to its end, alike each time, or refused by name", async () => {
    await expectAlways(hostileFile, checkReading, campaign);
  });

  test("the outputs of any run hold each row of the input once, where it belongs and as it was", async () => {
    await expectAlways(wildRun, checkConservation, campaign);
  });
});
