import { describe, expect, it } from "vitest";
import { checkDuns, checkLei, checkVatId, hasLostZero } from "../../../src/core/id-forms.ts";

describe("checkVatId", () => {
  it.each([
    ["DE 123.456.789", undefined, "good"],
    ["123456789", "DE", "good"],
    ["ATU12345678", "AT", "good"],
    ["EL123456789", "GR", "good"],
    ["CHE-123.456.789 MWST", "CH", "good"],
    ["b 12345674", "ES", "good"],
    ["DE12", undefined, "odd"],
    ["12", "IT", "odd"],
    ["12", "JP", "unknown"],
    ["12", undefined, "unknown"],
  ])("finds %j of %j %s", (text, country, kind) => {
    expect(checkVatId(text, country).kind).toBe(kind);
  });
});

it("checks a LEI's length and check digits", () => {
  expect(checkLei("529900T8BM49AURSDO55").kind).toBe("good");
  expect(checkLei("529900T8BM49AURSDO56")).toMatchObject({ why: "has wrong check digits" });
  expect(checkLei("529900")).toMatchObject({ kind: "odd" });
});

it("checks a D-U-N-S number's length", () => {
  expect(checkDuns("15-048-3782").kind).toBe("good");
  expect(checkDuns("5048378")).toMatchObject({ why: expect.stringContaining("leading zeros") });
  expect(checkDuns("12")).toMatchObject({ why: "is not nine digits" });
});

it("sees a lost zero only where postal codes have one length", () => {
  expect(hasLostZero("1067", "DE")).toBe(true);
  expect(hasLostZero("1067", undefined)).toBe(false);
  expect(hasLostZero("1067", "AT")).toBe(false);
});
