import { describe, expect, it } from "vitest";
import { createOutput } from "../../../src/cli/output.ts";
import { reportError } from "../../../src/cli/report-error.ts";
import { OnboardError } from "../../../src/core/errors.ts";
import { fakeIo } from "./fake-io.ts";

function report(
  error: unknown,
  style = { json: false, verbose: false },
): { code: number; stderr: string } {
  const { io, stderr } = fakeIo();
  const code = reportError(error, createOutput(io), style);
  return { code, stderr: stderr() };
}

describe("reportError", () => {
  it("tells an error that was meant, with its hint and code", () => {
    const error = new OnboardError(5, "Redis is away", { hint: "start it" });
    expect(report(error)).toEqual({ code: 5, stderr: "error: Redis is away\nstart it\n" });
    expect(report(new OnboardError(7, "stopped"))).toEqual({ code: 7, stderr: "error: stopped\n" });
  });

  it.each([new TypeError("x is undefined"), "x is undefined"])(
    "tells that anything else is a bug",
    (error) => {
      const { code, stderr } = report(error);
      expect(code).toBe(1);
      expect(stderr).toMatch(
        /^error: x is undefined\nThis is a bug in onboard-batch\.\nPlease report it/,
      );
      expect(stderr).not.toContain("report-error.test.ts");
    },
  );

  it("shows the stack of a bug only when asked", () => {
    const { stderr } = report(new TypeError("x"), { json: false, verbose: true });
    expect(stderr).toContain("report-error.test.ts");
    const meant = report(new OnboardError(5, "x"), { json: false, verbose: true });
    expect(meant.stderr).toBe("error: x\n");
  });

  it("ends with a line of JSON when asked", () => {
    const { stderr } = report(new OnboardError(4, "refused"), { json: true, verbose: false });
    expect(JSON.parse(stderr.split("\n")[1] ?? "")).toEqual({
      type: "error",
      exitCode: 4,
      message: "refused",
    });
  });
});
