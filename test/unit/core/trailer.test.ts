import { describe, expect, it } from "vitest";
import { readTrailer } from "../../../src/core/trailer.ts";

describe("readTrailer", () => {
  it.each([
    [["Total", "", "12,50"], undefined],
    [["", "Gesamt:", "3"], undefined],
    [["Total records: 42"], 42],
    [["Total rows", "42"], 42],
    [["Total rows", "42", "7"], undefined],
    [["Record count", "42"], 42],
    [["FIN6", "", ""], 6],
    [["(42 rows affected)"], 42],
    [["TRAILER", "abc"], undefined],
    [["Total", "EUR", "12"], undefined],
  ])("takes %j for the end of a file", (cells, recordCount) => {
    expect(readTrailer(cells)).toEqual({ recordCount });
  });

  it.each([
    [["Total SA", "Paris"]],
    [["Total", "Paris"]],
    [["Trailer Bridge Inc"]],
    [["4711", "Total"]],
    [["", ""]],
    [["Records Ltd"]],
  ])("takes %j for a partner", (cells) => {
    expect(readTrailer(cells)).toBeUndefined();
  });
});
