import { describe, expect, it } from "vitest";
import { agentText, quoteBody } from "../../../src/a2a/agent-text.ts";

describe("agentText", () => {
  it("puts the text on one line without control characters", () => {
    expect(agentText("a\r\nb\u001b[31mc\u0000\u202ed", "")).toBe("a b [31mc d");
  });

  it("ends after 1000 characters and splits no character in two", () => {
    const text = agentText(`${"x".repeat(998)}😀${"y".repeat(5_000)}`, "");
    expect(text).toBe(`${"x".repeat(998)}…`);
    expect(agentText("x".repeat(1_000), "")).toHaveLength(1_000);
    expect(agentText("x".repeat(1_001), "")).toHaveLength(1_000);
  });

  it("never repeats the key, not even at the cut", () => {
    const key = "k".repeat(40);
    expect(agentText(`your key ${key} is bad`, key)).toBe("your key [key] is bad");
    expect(agentText(`${"x".repeat(980)}${key}`, key)).not.toContain("kkk");
  });
});

it("takes no letters out for the sake of a key of a few characters", () => {
  expect(agentText("Task not found.", "k")).toBe("Task not found.");
});

describe("quoteBody", () => {
  it("quotes at most 100 characters", () => {
    expect(quoteBody("<html>".repeat(1_000), "")).toHaveLength(102);
    expect(quoteBody("<html>", "")).toBe("“<html>”");
  });

  it("says when there is nothing to quote", () => {
    expect(quoteBody(" \n", "")).toBe("an empty body");
  });
});
