import { describe, expect, it } from "vitest";
import {
  foldHeader,
  matchHeader,
  matchHeaderWords,
} from "../../../src/core/header-aliases-match.ts";

const fieldsOf = (header: string) => matchHeader(header).map(({ field }) => field);

describe("foldHeader", () => {
  it.each([
    ["  Company_Name ", "companyname"],
    ["Straße", "strasse"],
    ["STRASSE", "strasse"],
    ["Dénomination", "denomination"],
    ["Zuwendungsempfa\u0308nger", "zuwendungsempfanger"],
    ["Miejscowość", "miejscowosc"],
    ["Płock ø æ œ đ ı", "plockoaeoedi"],
    ["\uFEFFna\u200Bme\u00A0*", "name"],
    ["ＣＩＴＹ", "city"],
    ["№ 1", "no1"],
    ["***", ""],
  ])("reduces %j to %j", (header, folded) => {
    expect(foldHeader(header)).toBe(folded);
  });
});

describe("matchHeader", () => {
  it("sees through the table prefix of SAP fields and through paths", () => {
    expect(fieldsOf("LFA1-NAME1")).toEqual(["name"]);
    expect(fieldsOf("KNA1~ORT01")).toEqual(["city"]);
    expect(fieldsOf("S_Adresse.Name1")).toEqual(["name"]);
    expect(fieldsOf("address.physicalPostalAddress.city")).toEqual(["city"]);
    expect(fieldsOf("billing.postalCode")).toEqual(["postalCode"]);
  });

  it.each([["contact.name"], ["BANK-COUNTRY"], ["TEL-NR"], ["Steuer-Nr."], ["Fax.No"], ["E-Mail"]])(
    "does not take %j, somebody else's or a bare number, for the partner's",
    (header) => {
      expect(fieldsOf(header)).toEqual([]);
    },
  );

  it("names every field that an ambiguous header may stand for", () => {
    expect(fieldsOf("Lieferant").toSorted()).toEqual(["internalId", "name"]);
  });
});

describe("matchHeaderWords", () => {
  it.each([
    ["Supplier country", "country"],
    ["Customer postal code", "postalCode"],
    ["Name of the company", "name"],
    ["VAT number (EU)", "vatId"],
    ["Street (legal seat)", "street"],
  ])("finds the field in %j", (header, field) => {
    expect(matchHeaderWords(header)?.field).toBe(field);
  });

  it.each([
    ["Contact name"],
    ["Bank country"],
    ["First name"],
    ["Lieferantenstammsatz"],
    ["Landkreisnummer"],
    ["City name"],
    ["Company code"],
    ["Via mail"],
    ["Amount"],
    [""],
  ])("finds none in %j", (header) => {
    expect(matchHeaderWords(header)).toBeUndefined();
  });
});
