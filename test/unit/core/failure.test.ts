import { describe, expect, it } from "vitest";
import type { FailureReason } from "../../../src/core/failure.ts";
import { isRetryable, isRetryableReason, nextStepFor } from "../../../src/core/failure.ts";

/** The public list, reason by reason. */
const RETRYABLE: Readonly<Record<FailureReason, boolean>> = {
  ROW_TOO_WIDE: false,
  ROW_TOO_NARROW: false,
  ROW_UNREADABLE: false,
  CELL_TOO_LONG: false,
  NAME_MISSING: false,
  AGENT_REFUSED: false,
  AGENT_UNAVAILABLE: true,
  PROTOCOL_ERROR: true,
  RESULT_TOO_LARGE: false,
  TASK_FAILED: true,
  TASK_REJECTED: false,
  TASK_CANCELED: true,
  TASK_LOST: true,
  TASK_TIMEOUT: true,
  AUTH_REQUIRED: true,
  UNKNOWN_STATE: true,
};

describe("whether sending a row again could end differently", () => {
  it.each(Object.entries(RETRYABLE))("%s: %s", (reason, retryable) => {
    expect(isRetryable(reason as FailureReason)).toBe(retryable);
    expect(isRetryableReason(reason)).toBe(retryable);
  });
});

describe("what to do about a failure", () => {
  it.each(Object.keys(RETRYABLE))("%s is told in whole sentences", (reason) => {
    expect(nextStepFor(reason)).toMatch(/^[A-Z].*\.$/);
  });

  it.each(["", "TASK_BORED", "toString"])("is unknown for %j", (reason) => {
    expect(nextStepFor(reason)).toBeUndefined();
  });
});
