import { describe, expect, it } from "vitest";
import {
  errorText,
  exitCodeOfError,
  explainError,
  OnboardError,
} from "../../../src/core/errors.ts";
import { EXIT } from "../../../src/core/exit-code.ts";

describe("an error that ends a command on purpose", () => {
  it("carries its exit code, its message, what to do and what caused it", () => {
    const cause = new Error("ENOSPC");
    const error = new OnboardError(EXIT.unavailable, "the disk is full", {
      hint: "make room",
      cause,
    });
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({
      name: "OnboardError",
      exitCode: 5,
      message: "the disk is full",
      hint: "make room",
      cause,
    });
  });

  it("has neither hint nor cause when none is given", () => {
    const error = new OnboardError(EXIT.usage, "no such file");
    expect(error.hint).toBeUndefined();
    expect("cause" in error).toBe(false);
  });
});

describe("an outage of Redis that nobody waited out", () => {
  it.each([
    "OOM command not allowed when used memory > 'maxmemory'.",
    "CLUSTERDOWN The cluster is down",
    "LOADING Redis is loading the dataset in memory",
    "Connection is closed.",
    "Command aborted due to connection close",
  ])("is no bug but something outside that is missing: %s", (message) => {
    const cause = new Error(message);
    expect(exitCodeOfError(cause)).toBe(5);
    expect(explainError(cause)).toMatchObject({
      message: `Redis cannot serve now: ${message}`,
      hint: "nothing is lost: run the same command again when it can",
      cause,
    });
  });

  it("is not taken for any other error", () => {
    const bug = new TypeError("x is not a function");
    expect(explainError(bug)).toBe(bug);
    expect(exitCodeOfError(bug)).toBe(1);
    expect(explainError("OOM")).toBe("OOM");
  });
});

describe("the exit codes", () => {
  it("are those that schedulers rely on", () => {
    expect(EXIT).toEqual({
      ok: 0,
      bug: 1,
      usage: 2,
      rowsFailed: 3,
      credentials: 4,
      unavailable: 5,
      held: 6,
      stopped: 7,
      interrupted: 130,
      terminated: 143,
    });
  });
});

describe("what a process exits with", () => {
  it("is the code of an error that was meant", () => {
    expect(exitCodeOfError(new OnboardError(EXIT.held, "somebody has it"))).toBe(6);
  });

  it.each([
    ["an error that nobody expected", new TypeError("x is undefined")],
    ["whatever else was thrown", "gone"],
  ])("is 1 for %s", (_what, thrown) => {
    expect(exitCodeOfError(thrown)).toBe(1);
  });
});

describe("errorText", () => {
  it.each([
    ["an error", new TypeError("not a number"), "not a number"],
    ["a text", "gone", "gone"],
    ["nothing", undefined, "undefined"],
  ])("reads %s", (_what, thrown, text) => {
    expect(errorText(thrown)).toBe(text);
  });
});
