import { describe, test } from "vitest";
import { expectAlways } from "../../helpers/fuzz-campaign.ts";
import { checkConservation, wildRun } from "../../helpers/fuzz-outputs.ts";

describe("the outputs of any run", () => {
  test("hold each row of the input once, where it belongs and as it was", async () => {
    await expectAlways(wildRun, checkConservation, { cases: 60 });
  });
});
