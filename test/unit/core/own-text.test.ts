import { expect, it } from "vitest";
import { ownText } from "../../../src/core/own-text.ts";

it("a text of its own is the same, whatever characters are in it", () => {
  for (const text of ["", "ACME GmbH", "会社 😀", "half \uD83D", "\u0000"]) {
    expect(ownText(text)).toBe(text);
  }
});
