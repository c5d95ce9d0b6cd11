import { expect, it } from "vitest";
import { renderFinding } from "../../../src/cli/doctor-text.ts";

it("shows a finding as one line, with a second one on what to do", () => {
  expect(renderFinding({ what: "Node", verdict: "ok", found: "24.1.0" })).toBe(
    "ok    Node           24.1.0",
  );
  expect(
    renderFinding({ what: "Redis", verdict: "warn", found: "forgets", mend: "set appendonly" }),
  ).toBe("warn  Redis          forgets\n                     set appendonly");
});

it("shows what an agent says as harmless text on one line", () => {
  const found = "Agent\u001b[31m\nwith lines";
  const text = renderFinding({ what: "Agent", verdict: "ok", found });
  expect(text).not.toContain("\u001b");
  expect(text.split("\n")).toHaveLength(1);
});
