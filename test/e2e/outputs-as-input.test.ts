import { describe, expect, test, vi } from "vitest";
import { HARD_TABLE, openHardStage } from "../helpers/hard-partners.ts";

// Thirteen commands one after the other, on a machine that others use too.
vi.setConfig({ testTimeout: 150_000 });

describe.concurrent("failures, needs-input and unprocessed as inputs", () => {
  for (const words of [[], ["--excel"]]) {
    const form = words.length === 0 ? "as they are" : "with --excel";
    test(`send the same messages and keep the same cells, ${form}`, async (context) => {
      const hard = await openHardStage(context);
      const original = await hard.original();
      expect(original.own).toEqual(HARD_TABLE);
      expect(original.messages).toHaveLength(HARD_TABLE.length - 1);
      for (const { name, path } of await hard.feedBackFiles(...words)) {
        expect(await hard.read(path), name).toEqual(original);
      }
    });
  }
});
