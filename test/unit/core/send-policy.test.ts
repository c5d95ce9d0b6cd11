import { describe, expect, it } from "vitest";
import type { CallFailure } from "../../../src/core/call.ts";
import type { SendDecision, SendHistory } from "../../../src/core/send-policy.ts";
import { decideAfterFailedSend } from "../../../src/core/send-policy.ts";
import { failureOf } from "./call-failures.ts";

/** Nothing was tried before, and the drawn number is in the middle. */
const FIRST_TRY: SendHistory = {
  spentAttempts: 0,
  maxAttempts: 6,
  timedOutSends: 0,
  random: 0.5,
};

function decide(kind: CallFailure["kind"], over: Partial<SendHistory> = {}): SendDecision {
  return decideAfterFailedSend(failureOf(kind), { ...FIRST_TRY, ...over });
}

describe("a send that failed for the first time", () => {
  it.each<[CallFailure["kind"], SendDecision]>([
    ["not-written", { kind: "again", delayMs: 250, spends: false }],
    ["unavailable", { kind: "again", delayMs: 250, spends: true }],
    ["timed-out", { kind: "again", delayMs: 250, spends: true }],
    ["protocol", { kind: "again", delayMs: 250, spends: true }],
    ["throttled", { kind: "again", delayMs: 0, spends: false }],
    ["aborted", { kind: "again", delayMs: 0, spends: false }],
    ["refused", { kind: "fail", reason: "AGENT_REFUSED" }],
    ["task-not-found", { kind: "fail", reason: "AGENT_REFUSED" }],
    ["not-cancelable", { kind: "fail", reason: "AGENT_REFUSED" }],
    ["too-large", { kind: "fail", reason: "RESULT_TOO_LARGE" }],
    [
      "credentials",
      { kind: "stop", stop: { kind: "credentials", message: "a call that is credentials" } },
    ],
    [
      "wrong-agent",
      { kind: "stop", stop: { kind: "wrong-agent", message: "a call that is wrong-agent" } },
    ],
  ])("with %s", (kind, decision) => {
    expect(decide(kind)).toEqual(decision);
  });
});

describe("the attempts of a row", () => {
  it.each([
    ["unavailable", "AGENT_UNAVAILABLE"],
    ["protocol", "PROTOCOL_ERROR"],
  ] as const)("end with the last one that was %s, as %s", (kind, reason) => {
    expect(decide(kind, { spentAttempts: 4 })).toMatchObject({ kind: "again", spends: true });
    expect(decide(kind, { spentAttempts: 5 })).toEqual({ kind: "fail", reason });
  });

  it("may be one alone", () => {
    expect(decide("unavailable", { maxAttempts: 1 })).toEqual({
      kind: "fail",
      reason: "AGENT_UNAVAILABLE",
    });
  });

  it.each(["not-written", "throttled", "aborted"] as const)(
    "are not used up by one that was %s",
    (kind) => {
      expect(decide(kind, { spentAttempts: 5 })).toMatchObject({ kind: "again", spends: false });
    },
  );

  it("never end while they have no bound, as in an outage", () => {
    const over = { spentAttempts: 1_000, maxAttempts: Number.POSITIVE_INFINITY };
    expect(decide("unavailable", over)).toMatchObject({ kind: "again" });
  });

  it("come at growing distances", () => {
    const delays = [0, 1, 2, 3, 4].map((spentAttempts) => decide("unavailable", { spentAttempts }));
    expect(delays).toMatchObject(
      [250, 500, 1_000, 2_000, 4_000].map((delayMs) => ({ kind: "again", delayMs })),
    );
  });
});

describe("a send that was written and never answered", () => {
  it("is repeated once, so that a blocking agent is not paid for every attempt", () => {
    expect(decide("timed-out", { spentAttempts: 1 })).toMatchObject({ kind: "again" });
    expect(decide("timed-out", { spentAttempts: 1, timedOutSends: 1 })).toEqual({
      kind: "fail",
      reason: "AGENT_UNAVAILABLE",
    });
  });

  it("ends the row with the last attempt all the same", () => {
    expect(decide("timed-out", { spentAttempts: 5 })).toEqual({
      kind: "fail",
      reason: "AGENT_UNAVAILABLE",
    });
  });
});
