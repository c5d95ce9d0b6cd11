import { describe, expect, it } from "vitest";
import type { CallFailure } from "../../../src/core/call.ts";
import type { TrackDecision, TrackHistory } from "../../../src/core/track-policy.ts";
import { decideAfterFailedPoll, UNCERTAIN_POLL_MS } from "../../../src/core/track-policy.ts";
import { failureOf } from "./call-failures.ts";

/** The first failed poll of a task that is in time. */
const FIRST_FAILURE: TrackHistory = {
  failedPolls: 1,
  lostForMs: undefined,
  tryGroup: 0,
  overdue: false,
  random: 0.9,
};

function decide(kind: CallFailure["kind"], over: Partial<TrackHistory> = {}): TrackDecision {
  return decideAfterFailedPoll(failureOf(kind), { ...FIRST_FAILURE, ...over });
}

const STOPS: readonly [CallFailure["kind"], TrackDecision][] = [
  [
    "credentials",
    { kind: "stop", stop: { kind: "credentials", message: "a call that is credentials" } },
  ],
  [
    "wrong-agent",
    { kind: "stop", stop: { kind: "wrong-agent", message: "a call that is wrong-agent" } },
  ],
];

describe("a poll that failed in time", () => {
  it.each<[CallFailure["kind"], TrackDecision]>([
    ["not-written", { kind: "ask-again", delayMs: 450 }],
    ["unavailable", { kind: "ask-again", delayMs: 450 }],
    ["timed-out", { kind: "ask-again", delayMs: 450 }],
    ["protocol", { kind: "ask-again", delayMs: 450 }],
    ["refused", { kind: "ask-again", delayMs: 450 }],
    ["not-cancelable", { kind: "ask-again", delayMs: 450 }],
    ["task-not-found", { kind: "ask-again", delayMs: 450 }],
    ["throttled", { kind: "ask-again", delayMs: 0 }],
    ["aborted", { kind: "ask-again", delayMs: 0 }],
    ["too-large", { kind: "fail", reason: "RESULT_TOO_LARGE" }],
    ...STOPS,
  ])("with %s", (kind, decision) => {
    expect(decide(kind)).toEqual(decision);
  });

  it.each(["unavailable", "timed-out", "protocol", "refused"] as const)(
    "with %s never ends the task, however often",
    (kind) => {
      expect(decide(kind, { failedPolls: 1_000 })).toEqual({ kind: "ask-again", delayMs: 27_000 });
    },
  );

  it("is followed by a pause, however small the drawn number", () => {
    expect(decide("unavailable", { random: 0 })).toEqual({ kind: "ask-again", delayMs: 250 });
  });
});

describe("a poll that failed after --task-timeout", () => {
  it("is asked once more, since only a task that was seen can be late", () => {
    expect(decide("unavailable", { overdue: true, failedPolls: 2 }).kind).toBe("ask-again");
  });

  it.each<[CallFailure["kind"], TrackDecision]>([
    ["unavailable", { kind: "fail", reason: "AGENT_UNAVAILABLE" }],
    ["timed-out", { kind: "fail", reason: "AGENT_UNAVAILABLE" }],
    ["protocol", { kind: "fail", reason: "PROTOCOL_ERROR" }],
    ["refused", { kind: "fail", reason: "AGENT_REFUSED" }],
    ["not-cancelable", { kind: "fail", reason: "AGENT_REFUSED" }],
    ["too-large", { kind: "fail", reason: "RESULT_TOO_LARGE" }],
    // Nobody could ask: that is no time of the task's.
    ["not-written", { kind: "ask-again", delayMs: 1_800 }],
    ["throttled", { kind: "ask-again", delayMs: 0 }],
    ["aborted", { kind: "ask-again", delayMs: 0 }],
    ...STOPS,
  ])("with %s", (kind, decision) => {
    expect(decide(kind, { overdue: true, failedPolls: 3 })).toEqual(decision);
  });
});

describe("a task that the agent does not know", () => {
  it("is asked for again at most 2 s later for 8 s, since a replica may not have it yet", () => {
    const late = { failedPolls: 9 };
    expect(decide("task-not-found", { ...late, lostForMs: 0 })).toEqual({
      kind: "ask-again",
      delayMs: 2_000,
    });
    expect(decide("task-not-found", { ...late, lostForMs: 7_999 })).toMatchObject({
      kind: "ask-again",
    });
  });

  it("is then sent anew, once, and lost if that one gets lost too", () => {
    expect(decide("task-not-found", { lostForMs: 8_000 })).toEqual({ kind: "send-anew" });
    expect(decide("task-not-found", { lostForMs: 8_000, tryGroup: 1 })).toEqual({
      kind: "fail",
      reason: "TASK_LOST",
    });
  });

  it("has the same 8 s for the second task", () => {
    expect(decide("task-not-found", { lostForMs: 7_999, tryGroup: 1 })).toMatchObject({
      kind: "ask-again",
    });
  });
});

it("asks every 10 s about a task that only somebody else can move on", () => {
  expect(UNCERTAIN_POLL_MS).toBe(10_000);
});
