import { describe, expect, it } from "vitest";
import { OnboardError } from "../../../src/core/errors.ts";
import { EXIT } from "../../../src/core/exit-code.ts";
import type { Finding } from "../../../src/core/finding.ts";
import { exitCodeOfFindings, findingOfError } from "../../../src/core/finding.ts";

const OK: Finding = { what: "Node", verdict: "ok", found: "24" };
const WARN: Finding = { what: "Redis", verdict: "warn", found: "forgets", mend: "append" };

function fail(exitCode: 2 | 4 | 5): Finding {
  return { what: "Agent", verdict: "fail", found: "wrong", mend: "mend it", exitCode };
}

describe("what an examination ends with", () => {
  it("is 0 when nothing fails", () => {
    expect(exitCodeOfFindings([])).toBe(0);
    expect(exitCodeOfFindings([OK, WARN])).toBe(0);
  });

  it("is the code of what is to be mended first", () => {
    expect(exitCodeOfFindings([OK, fail(5), WARN, fail(4)])).toBe(4);
    expect(exitCodeOfFindings([fail(5), fail(2)])).toBe(2);
  });
});

describe("an error as a finding", () => {
  it("keeps message, advice and exit code", () => {
    const error = new OnboardError(EXIT.unavailable, "gone", { hint: "wait" });
    expect(findingOfError("Agent", error)).toEqual({
      what: "Agent",
      verdict: "fail",
      found: "gone",
      mend: "wait",
      exitCode: 5,
    });
    expect(findingOfError("Agent", new OnboardError(EXIT.usage, "x"))).toMatchObject({
      mend: "see above",
    });
  });

  it("is thrown when it is a bug", () => {
    expect(() => findingOfError("Agent", new TypeError("oops"))).toThrow("oops");
  });
});
