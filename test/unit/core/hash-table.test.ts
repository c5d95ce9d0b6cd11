import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createHashTable } from "../../../src/core/hash-table.ts";

const hashOf = (text: string): string =>
  createHash("sha256").update(text).digest().toString("latin1");

describe("the hash table", () => {
  it("finds what was kept first", () => {
    const table = createHashTable();
    expect(table.find(hashOf("a"))).toBeUndefined();
    expect(table.keep(hashOf("a"), 7)).toBe(7);
    expect(table.keep(hashOf("a"), 8)).toBe(7);
    expect(table.find(hashOf("a"))).toBe(7);
    expect(table.find(hashOf("b"))).toBeUndefined();
  });

  it("tells hashes apart that differ in their sixteenth byte, and no later one", () => {
    const table = createHashTable();
    const begin = "\u00ff".repeat(15);
    table.keep(`${begin}\u0001`, 1);
    table.keep(`${begin}\u0002`, 2);
    expect(table.find(`${begin}\u0001`)).toBe(1);
    expect(table.find(`${begin}\u0002 and more`)).toBe(2);
  });
});
