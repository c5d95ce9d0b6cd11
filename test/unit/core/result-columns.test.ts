import { describe, expect, it } from "vitest";
import {
  DEFAULT_COLUMNS,
  groupsOf,
  PATTERN_FLAGS,
  pointerCell,
} from "../../../src/core/result-columns.ts";

describe("the cell of a pointer", () => {
  it.each<[string, unknown, string]>([
    ["text as it is", "Zürich", "Zürich"],
    ["a number", 12.5, "12.5"],
    ["a truth value", false, "false"],
    ["nothing", null, ""],
    ["a list as JSON", [1, "a"], '[1,"a"]'],
    ["an object as JSON", { a: 1 }, '{"a":1}'],
  ])("is %s", (_what, value, cell) => {
    expect(pointerCell([{ x: value }], ["x"])).toBe(cell);
  });

  it("comes from the first data part that has something there", () => {
    expect(pointerCell([{ y: 1 }, { x: null }, { x: 2 }], ["x"])).toBe("");
    expect(pointerCell([{ y: 1 }, 7, { x: 2 }], ["x"])).toBe("2");
  });

  it("is empty when there is none", () => {
    expect(pointerCell([{ y: 1 }], ["x"])).toBe("");
    expect(pointerCell([], ["x"])).toBe("");
  });
});

describe("the groups of a pattern", () => {
  it.each<[string, string[]]>([
    ["plain", []],
    ["(?<a>x)|(?<b>y)", ["a", "b"]],
    ["^(?<city>.+)$", ["city"]],
  ])("%j are %j", (pattern, groups) => {
    expect(groupsOf(pattern)).toEqual(groups);
  });

  it.each(["(", "(?<a>x)(?<a>y)", "\\p{Nothing}", "\\-"])(
    "%j is no regular expression",
    (pattern) => {
      expect(groupsOf(pattern)).toEqual({
        problem: expect.stringContaining("Invalid regular expression"),
      });
    },
  );
});

/** The default columns of a text: name, street, postal code, city, country. */
function columnsOf(text: string): string[] {
  return Object.values(DEFAULT_COLUMNS).map(
    ({ pattern, group }) => new RegExp(pattern, PATTERN_FLAGS).exec(text)?.groups?.[group] ?? "",
  );
}

describe("the default columns", () => {
  it.each([
    ["Boehringer Ingelheim GmbH", "Birkendorfer Str. 65", "88397", "Biberach an der Riss", "DE"],
    ["Iberdrola, S.A.", "Plaza Euskadi 5", "48009", "Bilbao", "ES"],
    ["Jerónimo Martins, SGPS, S.A.", "Rua Actor António Silva 7", "1649-033", "Lisboa", "PT"],
    ["Koninklijke Philips N.V.", "Prinses Irenestraat 59", "1077 WV", "Amsterdam", "NL"],
    ["Ahold", "Provincialeweg 11", "1506 MA", "DEN HAAG", "NL"],
    ["Telefonaktiebolaget LM Ericsson", "Torshamnsgatan 21", "164 83", "Stockholm", "SE"],
    ["KGHM", "ul. Marii Skłodowskiej-Curie 48", "59-301", "Lubin", "PL"],
    ["Acme, Inc.", "1 Main Street", "10001-1234", "New York", "US"],
    ["Tesco plc", "Shire Park", "AL7 1GA", "Welwyn Garden City", "GB"],
    ["Bank", "House", "VLT 1117", "Valletta", "MT"],
    ["ACME", "Rue 1", "1000", "LE MONT", "BE"],
  ])("take apart %s, %s, %s %s, %s.", (...parts) => {
    const [name, street, postalCode, city, country] = parts;
    const text = `${name}, ${street}, ${postalCode} ${city}, ${country}`;
    for (const end of ["", ".", ".\n"]) {
      expect(columnsOf(text + end)).toEqual(parts);
    }
  });

  it("leave name and street empty where a comma makes them unclear", () => {
    expect(columnsOf("Rolls-Royce plc, Kings Place, 90 York Way, N1 9FX London, GB.")).toEqual([
      "",
      "",
      "N1 9FX",
      "London",
      "GB",
    ]);
  });

  it.each([
    "",
    "No company of this name was found.",
    "I found three companies, all of them in Berlin, DE.",
    "ACME GmbH, Berlin, DE.",
    "ACME GmbH\nStreet 1, 12345 Berlin, DE",
    '{"name":"ACME"}',
  ])("stay empty for a text of another form: %j", (text) => {
    expect(columnsOf(text)).toEqual(["", "", "", "", ""]);
  });
});
