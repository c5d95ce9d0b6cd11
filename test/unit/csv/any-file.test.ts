import { describe, test } from "vitest";
import { expectAlways } from "../../helpers/fuzz-campaign.ts";
import { hostileFile } from "../../helpers/fuzz-files.ts";
import { checkReading } from "../../helpers/fuzz-reader.ts";

describe("a file of any bytes", () => {
  test("is read to its end, alike each time, or refused by name", async () => {
    await expectAlways(hostileFile, checkReading, { cases: 120 });
  });
});
