import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatSize, parseSize } from "../../../src/core/size.js";

describe("parseSize", () => {
  it.each([
    ["8MiB", 8_388_608],
    ["64 KiB", 65_536],
    ["1GiB", 1_073_741_824],
    ["1.5kB", 1_500],
    ["8mb", 8_000_000],
    ["2GB", 2_000_000_000],
    ["12B", 12],
    [" 4096 ", 4_096],
  ])("reads %s", (text, sizeBytes) => {
    expect(parseSize(text)).toBe(sizeBytes);
  });
  it.each(["", "MiB", "-1B", "8 megabytes", "1e6", "8iB"])("refuses %j", (text) => {
    expect(parseSize(text)).toBeUndefined();
  });
});
describe("formatSize", () => {
  it.each([
    [8_388_608, "8MiB"],
    [3_000_000, "3MB"],
    [1_500, "1500B"],
    [0, "0B"],
  ])("writes %d bytes as %s", (sizeBytes, text) => {
    expect(formatSize(sizeBytes)).toBe(text);
  });
  it("is read back to the same size", () => {
    fc.assert(
      fc.property(fc.nat(), (sizeBytes) => {
        expect(parseSize(formatSize(sizeBytes))).toBe(sizeBytes);
      }),
    );
  });
});
