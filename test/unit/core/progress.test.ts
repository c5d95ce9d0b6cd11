import { describe, expect, it } from "vitest";
import { isSettled, parseProgress, parseStatus } from "../../../src/core/progress.ts";

/** A hash as Redis gives it: texts only. */
const HASH = {
  schemaVersion: "1",
  status: "stopped",
  statusReason: "max-failures",
  file: "partners.csv",
  total: "100",
  pending: "1",
  open: "2",
  succeeded: "90",
  failed: "3",
  needsInput: "2",
  unprocessed: "2",
  reused: "7",
  sendMessageCalls: "120",
  getTaskCalls: "240",
  cancelTaskCalls: "4",
  retries: "20",
  rateLimited: "5",
  startedAt: "2026-11-30T20:00:00.000Z",
  updatedAt: "2026-11-30T20:01:00.000Z",
  finishedAt: "2026-11-30T20:02:00.000Z",
  heartbeatAt: "2026-11-30T20:01:59.000Z",
};

describe("a reading of the progress hash", () => {
  it("has every public field, counts as numbers", () => {
    expect(parseProgress(HASH)).toEqual({
      schemaVersion: 1,
      status: "stopped",
      statusReason: "max-failures",
      file: "partners.csv",
      total: 100,
      pending: 1,
      open: 2,
      succeeded: 90,
      failed: 3,
      needsInput: 2,
      unprocessed: 2,
      reused: 7,
      sendMessageCalls: 120,
      getTaskCalls: 240,
      cancelTaskCalls: 4,
      retries: 20,
      rateLimited: 5,
      startedAt: "2026-11-30T20:00:00.000Z",
      updatedAt: "2026-11-30T20:01:00.000Z",
      finishedAt: "2026-11-30T20:02:00.000Z",
      heartbeatAt: "2026-11-30T20:01:59.000Z",
    });
  });

  it("takes what is not there yet for nothing", () => {
    expect(parseProgress({ schemaVersion: "1", status: "ingesting" })).toEqual({
      schemaVersion: 1,
      status: "ingesting",
      statusReason: "",
      file: "",
      total: 0,
      pending: 0,
      open: 0,
      succeeded: 0,
      failed: 0,
      needsInput: 0,
      unprocessed: 0,
      reused: 0,
      sendMessageCalls: 0,
      getTaskCalls: 0,
      cancelTaskCalls: 0,
      retries: 0,
      rateLimited: 0,
      startedAt: "",
      updatedAt: "",
      finishedAt: "",
      heartbeatAt: "",
    });
  });

  it.each([
    ["of a run that Redis has forgotten", {}],
    ["of a later version of the schema", { ...HASH, schemaVersion: "2" }],
    ["with a status that this version does not know", { ...HASH, status: "sleeping" }],
  ])("is none %s", (_what, hash) => {
    expect(parseProgress(hash)).toBeUndefined();
  });

  it("leaves a reason out that this version does not know", () => {
    expect(parseProgress({ ...HASH, statusReason: "budget" })?.statusReason).toBe("");
  });
});

describe("a status", () => {
  it.each([
    ["ingesting", false],
    ["running", false],
    ["paused", false],
    ["stopping", false],
    ["completed", true],
    ["canceled", true],
    ["stopped", true],
  ] as const)("%s: settled %s", (status, settled) => {
    expect(parseStatus(status)).toBe(status);
    expect(isSettled(status)).toBe(settled);
  });

  it("is none when the text is another", () => {
    expect(parseStatus("")).toBeUndefined();
  });
});
