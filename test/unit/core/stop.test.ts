import { describe, expect, it } from "vitest";
import type { CallFailure } from "../../../src/core/call.ts";
import { fatalStopOf, isFatal } from "../../../src/core/stop.ts";
import { failureOf } from "./call-failures.ts";

describe("a failed call", () => {
  it.each(["credentials", "wrong-agent"] as const)("ends the process when it is %s", (kind) => {
    const failure: CallFailure = { kind, code: "403", message: "HTTP 403" };
    expect(isFatal(failure)).toBe(true);
    expect(fatalStopOf({ kind, code: "403", message: "HTTP 403" })).toEqual({
      kind,
      message: "HTTP 403",
    });
  });

  it.each([
    "not-written",
    "timed-out",
    "unavailable",
    "protocol",
    "throttled",
    "refused",
    "task-not-found",
    "not-cancelable",
    "too-large",
    "aborted",
  ] as const)("does not when it is %s", (kind) => {
    expect(isFatal(failureOf(kind))).toBe(false);
  });
});
