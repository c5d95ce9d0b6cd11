import { describe, expect, it } from "vitest";
import { isOwnColumn, mapColumns } from "../../../src/core/mapping.ts";

type Mapped = Extract<ReturnType<typeof mapColumns>, { kind: "mapped" }>;

function mapped(header: readonly string[], map: Parameters<typeof mapColumns>[1] = {}): Mapped {
  const result = mapColumns(header, map);
  if (result.kind === "problem") throw new Error(result.message);
  return result;
}

function problem(header: readonly string[], map: Parameters<typeof mapColumns>[1] = {}): string {
  const result = mapColumns(header, map);
  return result.kind === "problem" ? result.message : "";
}

describe("mapColumns", () => {
  it("maps a plain header without a word", () => {
    expect(mapped(["id", "name", "country", "city", "postal_code", "note"])).toEqual({
      kind: "mapped",
      mapping: { internalId: [0], name: [1], country: [2], city: [3], postalCode: [4] },
      ignoredColumns: ["note"],
      warnings: [],
    });
  });

  it("joins the pieces of a name in their own order, not in the file's", () => {
    const header = ["NAME3", "LAND1", "NAME1", "NAME2"];
    expect(mapped(header).mapping).toEqual({ name: [2, 3, 0], country: [1] });
  });

  it("joins a street's type before and its supplements behind it", () => {
    const header = ["name", "STR_SUPPL2", "Tipo de vía", "Calle", "STR_SUPPL1"];
    expect(mapped(header).mapping.street).toEqual([2, 3, 4, 1]);
  });

  it("does not use a piece whose main column is missing", () => {
    const result = mapped(["name", "HOUSE_NUM2"]);
    expect(result.mapping).toEqual({ name: [0] });
    expect(result.ignoredColumns).toEqual(["HOUSE_NUM2"]);
  });

  it("takes a second choice only when the first is missing", () => {
    expect(mapped(["Trading name", "Company name"]).mapping.name).toEqual([1]);
    expect(mapped(["Trading name", "City"]).mapping.name).toEqual([0]);
  });

  it("uses the first of two columns for one field and says so", () => {
    const { mapping, warnings } = mapped(["Company", "City", "Town", "Stadt", "Ville", "Comune"]);
    expect(mapping.city).toEqual([1]);
    expect(warnings).toEqual([
      "For city, column 2 (City) is used and not 3 (Town), 4 (Stadt), 5 (Ville) and 1 more; --map city=Header chooses.",
    ]);
    expect(mapped(["Company", "City", "Town"]).warnings).toEqual([
      "For city, column 2 (City) is used and not 3 (Town); --map city=Header chooses.",
    ]);
  });

  it("lets two columns of one name step in for one another and says so", () => {
    const { mapping, warnings } = mapped(["Name 1", "Name 2", "City", "Name 2"]);
    expect(mapping.name).toEqual([0, 1]);
    expect(warnings).toEqual([
      'The header names "Name 2" 2 times (columns 2, 4); of its cells the first that is filled counts.',
    ]);
  });

  it("says which columns have no name", () => {
    const { ignoredColumns, warnings } = mapped(["name", "", " "]);
    expect(warnings).toEqual(["The header has no name for column 2, 3."]);
    expect(ignoredColumns).toEqual(["column 2", "column 3"]);
  });

  it("never maps columns that this program wrote", () => {
    const header = ["name", "onboard_run_id", "Onboard_City", "onboard_message"];
    expect(mapped(header)).toMatchObject({ mapping: { name: [0] }, ignoredColumns: [] });
    expect(isOwnColumn(" onboard_row")).toBe(true);
    expect(isOwnColumn("onboarding date")).toBe(false);
  });

  it("finds a field among other words and warns that it guessed", () => {
    const { mapping, warnings } = mapped(["Company", "Country of registration"]);
    expect(mapping).toEqual({ name: [0], country: [1] });
    expect(warnings.join("\n")).toContain("--map field='Country of registration'");
  });

  it("does not guess where a header says it exactly", () => {
    expect(mapped(["Company", "Country of origin code", "Country"]).mapping.country).toEqual([2]);
  });
});

describe("mapColumns with --map", () => {
  it("lets the user's word win over aliases", () => {
    const header = ["name", "Legal entity", "NAME2", "city"];
    const { mapping, ignoredColumns } = mapped(header, { name: "Legal entity" });
    expect(mapping).toEqual({ name: [1], city: [3] });
    expect(ignoredColumns).toEqual(["name", "NAME2"]);
  });

  it("finds the header whatever its case, blanks and accents", () => {
    expect(
      mapped(["Dénomination  légale", "x"], { name: "denomination_legale" }).mapping.name,
    ).toEqual([0]);
    expect(mapped(["A  B"], { name: " A B " }).mapping.name).toEqual([0]);
  });

  it("takes the exact header before one that only looks alike", () => {
    expect(mapped(["Firma A", "firma a"], { name: "firma a" }).mapping.name).toEqual([1]);
  });

  it("lets two fields share a column", () => {
    const { mapping } = mapped(["name", "PLZ Ort"], { city: "PLZ Ort", postalCode: "PLZ Ort" });
    expect(mapping).toEqual({ name: [0], city: [1], postalCode: [1] });
  });

  it("warns when the name is there twice", () => {
    const { mapping, warnings } = mapped(["x", "x", "name"], { city: "x" });
    expect(mapping.city).toEqual([0]);
    expect(warnings).toContain(
      "--map city=x: 2 columns have that name; of their cells the first that is filled counts.",
    );
  });

  it("refuses a header that is not there and names the nearest", () => {
    expect(problem(["Company", "Town"], { city: "Twon" })).toBe(
      "--map city=Twon: the file has no column of that name. Did you mean --map city=Town? Columns found: Company, Town.",
    );
    expect(problem(["Company"], { city: "it's" })).toBe(
      String.raw`--map city='it'\''s': the file has no column of that name. Columns found: Company.`,
    );
    expect(problem(["Company", "***"], { city: "???" })).toContain("no column of that name");
  });

  it("refuses this program's own columns", () => {
    expect(problem(["name", "onboard_text"], { city: "onboard_text" })).toBe(
      "--map city=onboard_text: columns that begin with onboard_ are this program's own and cannot be mapped.",
    );
  });
});

describe("mapColumns without a name", () => {
  it("says what was found and which flags help", () => {
    const message = problem([
      "foo",
      "",
      "x".repeat(50),
      ...Array.from({ length: 20 }, (_, i) => `c${i}`),
    ]);
    expect(message).toContain(`Columns found: foo, ${"x".repeat(40)}…, c0,`);
    expect(message).toContain("c17 and 2 more.");
    expect(message).toContain("--map name=Header");
    expect(message).toContain("--columns");
  });

  it("asks when a column may be the name or the number", () => {
    const message = problem(["Lieferant", "Ort", "Company full name"]);
    expect(message).toContain('Column "Lieferant" may hold the partner\'s name or its number');
    expect(message).toContain("--map name=Lieferant");
  });
});

describe("an ambiguous header", () => {
  it("is the number when another column is the name", () => {
    expect(mapped(["Vendor", "Name 1"]).mapping).toEqual({ internalId: [0], name: [1] });
    expect(mapped(["Vendor", "x"], { name: "x" }).mapping).toEqual({ internalId: [0], name: [1] });
  });

  it("is the name when another column is the number", () => {
    expect(mapped(["Supplier", "Supplier ID"]).mapping).toEqual({ name: [0], internalId: [1] });
    expect(mapped(["Supplier", "No."]).mapping).toEqual({ name: [0], internalId: [1] });
  });

  it("Land is the country unless there is another, then the region", () => {
    expect(mapped(["Firma", "Land", "Bundesland"])).toMatchObject({
      mapping: { name: [0], country: [1], region: [2] },
      warnings: [],
    });
    expect(mapped(["Firma", "Land", "Staat"]).mapping).toEqual({
      name: [0],
      region: [1],
      country: [2],
    });
    const alone = mapped(["Firma", "Land"]);
    expect(alone.mapping.country).toEqual([1]);
    expect(alone.warnings.join("\n")).toContain("Column 2 (Land) is taken for country");
  });

  it("a bare number belongs to the street before it, else to the partner", () => {
    expect(mapped(["Firma", "Straße", "Nr"])).toMatchObject({
      mapping: { name: [0], street: [1], houseNumber: [2] },
      warnings: [],
    });
    expect(mapped(["Nr", "Firma", "Straße", "Hausnummer"]).mapping.internalId).toEqual([0]);
    const apart = mapped(["id", "Firma", "Straße", "Ort", "Nr"]);
    expect(apart.mapping.houseNumber).toEqual([4]);
    expect(apart.warnings.join("\n")).toContain("Column 5 (Nr) is taken for houseNumber");
  });
});
