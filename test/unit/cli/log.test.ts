import { describe, expect, it } from "vitest";
import { chooseLogLevel, createLog, type LogLevel } from "../../../src/cli/log.ts";
import { createOutput } from "../../../src/cli/output.ts";
import type { Log } from "../../../src/core/log.ts";
import { fakeIo } from "./fake-io.ts";

const NOW = Date.UTC(2026, 10, 30, 22, 14, 3);

function setup(form: "human" | "json", level: LogLevel): { log: Log; lines: () => string[] } {
  const { io, stderr } = fakeIo();
  const log = createLog({ output: createOutput(io), form, level, now: () => NOW });
  return { log, lines: () => stderr().split("\n").slice(0, -1) };
}

describe.each(["human", "json"] as const)("the %s log", (form) => {
  it.each<[LogLevel, number]>([
    ["debug", 4],
    ["info", 3],
    ["warn", 2],
    ["error", 1],
  ])("at level %s writes %d of the four", (level, expected) => {
    const { log, lines } = setup(form, level);
    log.debug("a");
    log.info("b");
    log.warn("c");
    log.error("d");
    expect(lines()).toHaveLength(expected);
  });
});

describe("the human log", () => {
  it("writes one line an event, with quotes where a fact needs them", () => {
    const { log, lines } = setup("human", "debug");
    log.warn("agent.away", { code: "503", rows: 3, reason: "it is\ndown", row: undefined });
    const time = new Date(NOW).toTimeString().slice(0, 8);
    expect(lines()).toEqual([`${time} warn agent.away code=503 rows=3 reason="it is\\ndown"`]);
  });
});

describe("the JSON log", () => {
  it("writes level, time and event by name", () => {
    const { log, lines } = setup("json", "debug");
    log.error("agent.away", { code: "503", open: true });
    expect(JSON.parse(lines()[0] ?? "")).toEqual({
      level: "error",
      time: "2026-11-30T22:14:03.000Z",
      event: "agent.away",
      code: "503",
      open: true,
    });
  });
});

describe("chooseLogLevel", () => {
  it.each([
    [{ quiet: false, verbose: false }, "warn"],
    [{ quiet: true, verbose: false }, "error"],
    [{ quiet: false, verbose: true }, "debug"],
  ])("%j gives %s", (terminal, level) => {
    expect(chooseLogLevel(terminal)).toBe(level);
  });
});
