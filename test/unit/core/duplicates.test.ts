import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createDuplicateFinder } from "../../../src/core/duplicates.ts";

describe("the duplicate finder", () => {
  it("gives a new text its own row and a known one the first", () => {
    const finder = createDuplicateFinder();
    expect(finder.firstRowOf("a", 1)).toBe(1);
    expect(finder.firstRowOf("b", 2)).toBe(2);
    expect(finder.firstRowOf("a", 3)).toBe(1);
    expect(finder.firstRowOf("A", 4)).toBe(4);
  });

  it("agrees with a map on any texts", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 2 })), (messages) => {
        const finder = createDuplicateFinder();
        const first = new Map<string, number>();
        for (const [index, message] of messages.entries()) {
          if (!first.has(message)) first.set(message, index + 1);
          expect(finder.firstRowOf(message, index + 1)).toBe(first.get(message));
        }
      }),
    );
  });

  it("still knows every text after it has grown, in little memory", () => {
    const count = 150_000;
    const before = process.memoryUsage().arrayBuffers;
    const finder = createDuplicateFinder();
    for (let row = 1; row <= count; row += 1) finder.firstRowOf(`partner ${row}`, row);
    const sizeBytes = process.memoryUsage().arrayBuffers - before;
    for (let row = 1; row <= count; row += 997) {
      expect(finder.firstRowOf(`partner ${row}`, count + row)).toBe(row);
    }
    expect(sizeBytes).toBeLessThan(60 * count);
  });
});
