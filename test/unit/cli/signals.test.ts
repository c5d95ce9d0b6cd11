import { EventEmitter } from "node:events";
import { describe, expect, it } from "vitest";
import { createStopSignals, type StopSignals, stopExitCode } from "../../../src/cli/signals.ts";

interface Setup {
  readonly signals: EventEmitter;
  readonly stops: string[];
  readonly exits: number[];
  readonly guard: StopSignals;
  readonly advance: (ms: number) => void;
}

function setup(): Setup {
  let nowMs = 1_000;
  const signals = new EventEmitter();
  const stops: string[] = [];
  const exits: number[] = [];
  const guard = createStopSignals({
    signals,
    now: () => nowMs,
    onStop: (reason) => stops.push(reason),
    exitNow: (code) => exits.push(code),
  });
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { signals, stops, exits, guard, advance };
}

describe("createStopSignals", () => {
  it.each([
    ["SIGINT", "interrupted", 130],
    ["SIGTERM", "terminated", 143],
  ])("the first %s asks to stop, the second exits at once", (signal, reason, code) => {
    const { signals, stops, exits, guard, advance } = setup();
    guard.start();
    signals.emit(signal);
    expect([stops, exits]).toEqual([[reason], []]);
    advance(500);
    signals.emit(signal);
    expect([stops, exits]).toEqual([[reason], [code]]);
    guard.stop();
  });

  it("takes the same signal from terminal and parent for one", () => {
    const { signals, exits, guard, advance } = setup();
    guard.start();
    signals.emit("SIGINT");
    advance(20);
    signals.emit("SIGINT");
    expect(exits).toEqual([]);
    guard.stop();
  });

  it("listens only between start and stop, however often they are called", () => {
    const { signals, stops, guard } = setup();
    guard.stop();
    guard.start();
    guard.start();
    expect(signals.listenerCount("SIGINT")).toBe(1);
    guard.stop();
    guard.stop();
    expect(signals.listenerCount("SIGINT") + signals.listenerCount("SIGTERM")).toBe(0);
    signals.emit("SIGINT");
    expect(stops).toEqual([]);
  });

  it("fits the process itself", () => {
    const guard = createStopSignals({
      signals: process,
      now: Date.now,
      onStop: () => undefined,
      exitNow: () => undefined,
    });
    const before = process.listenerCount("SIGTERM");
    guard.start();
    expect(process.listenerCount("SIGTERM")).toBe(before + 1);
    guard.stop();
    expect(process.listenerCount("SIGTERM")).toBe(before);
  });
});

describe("stopExitCode", () => {
  it("is 128 and the signal's number", () => {
    expect([stopExitCode("interrupted"), stopExitCode("terminated")]).toEqual([130, 143]);
  });
});
