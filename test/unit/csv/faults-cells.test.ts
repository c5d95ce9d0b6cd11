import { describe, expect, it } from "vitest";
import { readAll, refusalOf } from "./read-file-for-tests.ts";

describe("cells", () => {
  it("57: numbers stay text, and a leading zero that was lost is pointed out", async () => {
    const { partners, warnings } = await readAll(
      "LIFNR,NAME1,LAND1,PSTLZ\n0000103420,A,DE,01067\n1,B,DE,1067\n2,C,AT,1010\n",
    );
    expect(partners.map(({ internalId, postalCode }) => [internalId, postalCode])).toEqual([
      ["0000103420", "01067"],
      ["1", "1067"],
      ["2", "1010"],
    ]);
    expect(warnings).toContain("as if a spreadsheet had taken its leading zero");
    expect(warnings).toContain("line 3.");
  });

  it("58: a number that was rounded is missing, with a warning", async () => {
    const { records, partners, warnings } = await readAll("name,duns\nA,9.08E+12\nB,150483782\n");
    expect(partners).toEqual([{ name: "A" }, { name: "B", duns: "150483782" }]);
    expect(records[0]?.cells).toEqual(["A", "9.08E+12"]);
    expect(warnings).toContain("duns as a rounded number (such as 9.08E+12) is taken for missing");
  });

  it.each(["1.50483782E8", "1,5E+08", "2E+10"])("58: so is %s", async (number) => {
    const { partners } = await readAll(`id;name\n${number};A\n2E8;B\n`);
    expect(partners).toEqual([{ name: "A" }, { internalId: "2E8", name: "B" }]);
  });

  it("58: a number that was made a decimal is sent without it, with a warning", async () => {
    const { records, partners, warnings } = await readAll(
      "name,postal_code,country,duns\nA,10115.0,DE,150483782.0\nB,1067.0,DE,\nC 1.0,1.0.0,DE,\n",
    );
    expect(partners).toEqual([
      { name: "A", postalCode: "10115", country: "DE", duns: "150483782" },
      { name: "B", postalCode: "1067", country: "DE" },
      { name: "C 1.0", postalCode: "1.0.0", country: "DE" },
    ]);
    expect(records[0]?.cells).toEqual(["A", "10115.0", "DE", "150483782.0"]);
    expect(warnings).toContain("postalCode ends in .0");
    expect(warnings).toContain("postalCode is a digit short");
  });

  it("59: a cell written as a formula for its text", async () => {
    const { partners } = await readAll(
      'id,name,city\n="00123",A,Ulm\n"=""00124""",B,Bonn\n="00,125",C,Kiel\n',
    );
    expect(partners.map(({ internalId }) => internalId)).toEqual(["00123", "00124", "00,125"]);
  });

  it("60, 61: an apostrophe before digits, a number in the dress of a date", async () => {
    const { partners, warnings } = await readAll("id,name\n'00123,A\n01. Mrz,B\n");
    expect(partners.map(({ internalId }) => internalId)).toEqual(["00123", "01. Mrz"]);
    expect(warnings).toContain("internalId looks like a number that was taken for a date: line 3.");
  });

  it("62: amounts pass through as they are", async () => {
    const { records } = await readAll("name;amount\nA;1.249,50-\n");
    expect(records[0]?.cells).toEqual(["A", "1.249,50-"]);
  });

  it("63: NA is Namibia and NO is Norway", async () => {
    const { partners } = await readAll("name,country,region,city\nA,NA,NA,NA\nB,NO,,\n");
    expect(partners).toEqual([
      { name: "A", country: "NA", region: "NA" },
      { name: "B", country: "NO" },
    ]);
  });

  it("64: words for nothing are nothing, and a name of them costs no call", async () => {
    const { names, partners, warnings, records } = await readAll(
      "name,city,street\nA,NULL,-\nREDACTED,Ulm,x\nTEST,Ulm,x\nNull & Co,n/a,#REF!\n",
    );
    expect(names).toEqual(["A", "NAME_MISSING", "NAME_MISSING", "Null & Co"]);
    expect(partners).toEqual([{ name: "A" }, { name: "Null & Co" }]);
    expect(records[1]).toMatchObject({
      failure: { message: 'The name is no name but "REDACTED" (column "name").' },
    });
    expect(warnings).toContain("in city is taken for empty: 2 times, line 2, 5.");
  });

  it("65 to 69: blanks, invisible characters and taken-apart letters count in no comparison", async () => {
    const { records, partners, messages } = await readAll(
      "name\n  LOCAL\u00A0 SOLUTIONS\u3000\nLOCAL\u200B SOLUTIONS\u200E\nMu\u0308ller\nMüller\n",
    );
    expect(partners.map(({ name }) => name)).toEqual([
      "LOCAL SOLUTIONS",
      "LOCAL SOLUTIONS",
      "Müller",
      "Müller",
    ]);
    expect(new Set(messages).size).toBe(2);
    expect(records[0]?.cells).toEqual(["  LOCAL\u00A0 SOLUTIONS\u3000"]);
    expect(records[2]?.cells).toEqual(["Mu\u0308ller"]);
  });

  it("70, 71, 72: dashes, several values and numbers in a name are sent as they are", async () => {
    const { names } = await readAll("name\nA – B’s\nA | B\nRS COMPONENTS LTD (11532010)\n");
    expect(names).toEqual(["A – B’s", "A | B", "RS COMPONENTS LTD (11532010)"]);
  });

  it("73: a field in several columns is joined", async () => {
    const { partners } = await readAll(
      "NAME1;NAME2;numeroVoieEtablissement;typeVoieEtablissement;libelleVoieEtablissement\nInlandslieferant DE (Ariba;Sourcing);17;RUE;LAMARTINE\n",
    );
    expect(partners).toEqual([
      { name: "Inlandslieferant DE (Ariba Sourcing)", houseNumber: "17", street: "RUE LAMARTINE" },
    ]);
  });

  it("73: postal code and city in one column are cut in the country's way only", async () => {
    const { partners } = await readAll("Firma;PLZ/Ort;Land\nA;89073 Ulm;D\nB;SW1A 1AA London;UK\n");
    expect(partners).toEqual([
      { name: "A", country: "DE", postalCode: "89073", city: "Ulm" },
      { name: "B", country: "GB", postalCode: "SW1A 1AA London" },
    ]);
  });

  it("78: only mapped fields are sent", async () => {
    const { messages } = await readAll("name,contact,email,iban\nA,Eva,eva@a.example,DE00\n");
    expect(messages.join("")).not.toMatch(/Eva|eva@|DE00/u);
  });
});

describe("countries and numbers", () => {
  it("gives a country's code for its names and signs in eight languages", async () => {
    const names = [
      "Deutschland",
      "Germany",
      "Allemagne",
      "Alemania",
      "Germania",
      "Niemcy",
      "Alemanha",
      "Duitsland",
      "DEU",
      "de",
      "D",
      "BRD",
    ];
    const { partners, warnings } = await readAll(
      `name;country\n${names.map((name) => `A;${name}`).join("\n")}\n`,
    );
    expect(new Set(partners.map(({ country }) => country))).toEqual(new Set(["DE"]));
    expect(warnings).toBe("");
  });

  it("sends a country that it does not know as it stands, with a warning", async () => {
    const { partners, records, warnings } = await readAll(
      "name,country\nA,Atlantis\nB,Royaume-Uni\n",
    );
    expect(partners.map(({ country }) => country)).toEqual(["Atlantis", "GB"]);
    expect(records[1]?.cells).toEqual(["B", "Royaume-Uni"]);
    expect(warnings).toContain(
      "The country is none that is known; it is sent as it stands: line 2.",
    );
  });

  it("warns of numbers whose form is wrong, and sends them", async () => {
    const { partners, warnings } = await readAll(
      "name,country,vat,lei,duns\nA,DE,DE12345,529900T8BM49AURSDO56,12\nB,DE,DE123456789,529900T8BM49AURSDO55,15-048-3782\n",
    );
    expect(partners[0]).toMatchObject({ vatId: "DE12345", duns: "12" });
    expect(warnings).toContain(
      "vatId does not have the form of VAT numbers that begin with DE; it is sent as it stands: line 2.",
    );
    expect(warnings).toContain("lei has wrong check digits; it is sent as it stands: line 2.");
    expect(warnings).toContain("duns is not nine digits; it is sent as it stands: line 2.");
  });
});

describe("columns that a name leaves open", () => {
  it("are settled by what is in them", async () => {
    const names = await readAll("Lieferant;Ort\nACME GmbH;Ulm\nGlobex AG;Bonn\n");
    expect(names.shape.mapping).toEqual({ name: [0], city: [1] });
    const numbers = await readAll("Lieferant;Name des Lieferanten\n4711;ACME\n", {
      map: { name: "Name des Lieferanten" },
    });
    expect(numbers.shape.mapping).toEqual({ internalId: [0], name: [1] });
    const kraj = await readAll("Firma;Kraj\nA;Polska\nB;Niemcy\n");
    expect(kraj.partners.map(({ country }) => country)).toEqual(["PL", "DE"]);
    const region = await readAll("Firma;Land\nA;Bayern\nB;Hessen\n");
    expect(region.shape.mapping).toEqual({ name: [0], region: [1] });
  });

  it("are not believed when their cells say otherwise", async () => {
    const { shape } = await readAll(
      "Ragione sociale;Stato;C.P.\nA;attivo;Casella\nB;chiuso;Casella\n",
    );
    expect(shape.mapping).toEqual({ name: [0] });
    const company = await readAll("Company;Supplier name\n1000;ACME\n2000;Globex\n");
    expect(company.names).toEqual(["ACME", "Globex"]);
  });

  it("are asked about when nothing settles them", async () => {
    expect(await refusalOf("Lieferant;Ort\nA1;Ulm\nGlobex AG;Bonn\nX;Y\n")).toContain(
      "--map name=Lieferant",
    );
    expect(await refusalOf("Company;Organisation\nACME;Globex\n")).toContain(
      "Say which it is with --map name=Company or --map name=Organisation.",
    );
  });
});
