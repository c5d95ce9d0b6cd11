import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RunIdentity } from "../../../src/core/run-id.ts";
import {
  computeRunId,
  hashIdentity,
  isRunId,
  newestOfFamily,
  nextInFamily,
} from "../../../src/core/run-id.ts";

const IDENTITY: RunIdentity = {
  sha256: "a".repeat(64),
  agentUrl: "https://agent.example/",
  template: "Name: {name}",
  reading: { map: { name: "Firma", city: "Ort" } },
  dedupe: true,
  rowLimit: undefined,
};

describe("the identity of a run", () => {
  it("is the same for the same wishes, whatever the order of the mapping", () => {
    expect(hashIdentity(IDENTITY)).toMatch(/^[0-9a-f]{64}$/);
    const turned = { ...IDENTITY, reading: { map: { city: "Ort", name: "Firma" } } };
    expect(hashIdentity(turned)).toBe(hashIdentity(IDENTITY));
  });

  it.each<[string, Partial<RunIdentity>]>([
    ["the file's bytes", { sha256: "b".repeat(64) }],
    ["the agent URL", { agentUrl: "https://other.example/" }],
    ["the message template", { template: "{name}" }],
    ["the mapping", { reading: { map: { name: "Firma" } } }],
    ["a mapped column", { reading: { map: { name: "Firma", city: "Stadt" } } }],
    ["the delimiter", { reading: { ...IDENTITY.reading, delimiter: ";" } }],
    ["the encoding", { reading: { ...IDENTITY.reading, encoding: "latin1" } }],
    ["the fallback encoding", { reading: { ...IDENTITY.reading, fallbackEncoding: "cp850" } }],
    ["the header's line", { reading: { ...IDENTITY.reading, headerRow: 2 } }],
    ["the column names", { reading: { ...IDENTITY.reading, columns: ["name"] } }],
    ["--dedupe", { dedupe: false }],
    ["--limit", { rowLimit: 10 }],
  ])("changes with %s", (_what, other) => {
    expect(hashIdentity({ ...IDENTITY, ...other })).not.toBe(hashIdentity(IDENTITY));
  });

  it("does not mix up options that have the same text", () => {
    const delimiter = hashIdentity({ ...IDENTITY, reading: { map: {}, delimiter: "tab" } });
    const encoding = hashIdentity({ ...IDENTITY, reading: { map: {}, encoding: "tab" } });
    expect(delimiter).not.toBe(encoding);
  });
});

describe("the run id of a file", () => {
  const HASH = "0123456789abcdef".repeat(4);

  it.each([
    ["partners.csv", "partners-0123456789ab"],
    ["Lieferanten Müller & Söhne.CSV", "Lieferanten-Mu-ller-So-hne-0123456789ab"],
    ["export.csv.gz", "export-0123456789ab"],
    ["2026.Q1.txt", "2026-Q1-0123456789ab"],
    ["会社.csv", "run-0123456789ab"],
    [".csv", "run-0123456789ab"],
    ["{tag}:*.tsv", "tag-0123456789ab"],
  ])("of %j is %j", (file, runId) => {
    expect(computeRunId(file, HASH)).toBe(runId);
  });

  it("is a run id, whatever the file is called", () => {
    fc.assert(
      fc.property(fc.array(fc.nat(0x10_ffff), { maxLength: 300 }), (codePoints) => {
        const file = String.fromCodePoint(...codePoints);
        expect(isRunId(computeRunId(file, HASH))).toBe(true);
      }),
    );
  });
});

describe("a run id", () => {
  it.each(["a", "monthly_2026-11", "A".repeat(120)])("may be %j", (text) => {
    expect(isRunId(text)).toBe(true);
  });

  it.each(["", "a b", "a/b", "..", "a.b", "{a}", "a:b", "ä", "a\n", "A".repeat(121)])(
    "may not be %j",
    (text) => {
      expect(isRunId(text)).toBe(false);
    },
  );
});

describe("a family of runs", () => {
  it.each([
    [undefined, "r"],
    ["r", "r-2"],
    ["r-2", "r-3"],
    ["r-9", "r-10"],
  ])("after %j comes %j", (newest, next) => {
    expect(nextInFamily("r", newest)).toBe(next);
  });

  it("has the one with the highest number as its newest, in whatever order they are known", () => {
    expect(newestOfFamily("r", ["r-10", "r", "r-9", "r-2"])).toBe("r-10");
    expect(newestOfFamily("r", ["r"])).toBe("r");
  });

  it("has no strangers in it", () => {
    const strangers = ["rr-2", "r-x", "r-1", "r-02", "r-2-3", "r-", "s", `r-${"9".repeat(10)}`];
    expect(newestOfFamily("r", strangers)).toBeUndefined();
    expect(newestOfFamily("r", [...strangers, "r"])).toBe("r");
  });
});
