import { describe, expect, it } from "vitest";
import type { MessageIdentity } from "../../../src/core/message-id.ts";
import { computeMessageId } from "../../../src/core/message-id.ts";

const IDENTITY: MessageIdentity = {
  runId: "partners-0123456789ab",
  startedAtMs: 1_700_000_000_000,
  row: 7,
  text: "Name: Boehringer",
  tryGroup: 0,
};

describe("the messageId of a row", () => {
  it("is a UUIDv5, as other implementations compute it, and the same in every version of this program", () => {
    // Python: uuid.uuid5(UUID("6f0f5b0e9d0e4c0b8a5b3c6d2f1e7a94"), "<run>\n<start>\n<row>\n<group>\n<sha256 of text>")
    expect(computeMessageId(IDENTITY)).toBe("a5d114d5-ed58-5dd0-9411-d09853ebb638");
  });

  it("is the same for every repeat of one message", () => {
    expect(computeMessageId({ ...IDENTITY })).toBe(computeMessageId(IDENTITY));
  });

  it.each<[string, Partial<MessageIdentity>]>([
    ["run", { runId: "partners-2" }],
    ["start of the run", { startedAtMs: 1_700_000_000_001 }],
    ["row", { row: 8 }],
    ["text", { text: "Name: Böhringer" }],
    ["try group", { tryGroup: 1 }],
  ])("is another one for another %s", (_what, other) => {
    expect(computeMessageId({ ...IDENTITY, ...other })).not.toBe(computeMessageId(IDENTITY));
  });

  it("does not mix up neighbouring facts", () => {
    const one = computeMessageId({ ...IDENTITY, row: 1, tryGroup: 11 });
    const other = computeMessageId({ ...IDENTITY, row: 11, tryGroup: 1 });
    expect(one).not.toBe(other);
  });

  it("has version and variant of a UUIDv5 for every row", () => {
    for (let row = 1; row <= 500; row += 1) {
      expect(computeMessageId({ ...IDENTITY, row })).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      );
    }
  });
});
