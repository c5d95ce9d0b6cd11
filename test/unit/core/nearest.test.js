import { describe, expect, it } from "vitest";
import { nearestWord } from "../../../src/core/nearest.js";

const KNOWN = ["rate", "pollRate", "totalRate", "agentUrl", "country", "name"];
describe("nearestWord", () => {
  it.each([
    ["rat", "rate"],
    ["raet", "rate"],
    ["RATE", "rate"],
    ["pol-rate", "pollRate"],
    ["agenturl", "agentUrl"],
    ["contry", "country"],
    ["nmae", "name"],
  ])("takes %s for %s", (typed, meant) => {
    expect(nearestWord(typed, KNOWN)).toBe(meant);
  });
  it.each(["", "zzz", "concurrency"])("finds nothing near %j", (typed) => {
    expect(nearestWord(typed, KNOWN)).toBeUndefined();
  });
  it("prefers the nearer of two", () => {
    expect(nearestWord("totalrate", ["pollRate", "totalRate"])).toBe("totalRate");
  });
  it("knows nothing without known words", () => {
    expect(nearestWord("rate", [])).toBeUndefined();
  });
});
