import { describe, expect, it } from "vitest";
import { systemIo } from "../../../src/cli/io.ts";

describe("systemIo", () => {
  it("is this process", () => {
    const io = systemIo(() => undefined);
    expect(io.stdout).toBe(process.stdout);
    expect(io.cwd).toBe(process.cwd());
    expect(io.env["PATH"]).toBe(process.env["PATH"]);
    expect(Math.abs(io.now() - Date.now())).toBeLessThan(1_000);
  });
});
