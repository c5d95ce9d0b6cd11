import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import { expect, test } from "vitest";
import { createAnswer, readPartnerName } from "../../../src/sandbox/answer.ts";
import { findCompany } from "../../../src/sandbox/companies.ts";

const ASK = "Provide me data to help onboarding my business partner";

test.each([
  ["Nestle SA", "Nestlé S.A."],
  ["SIEMENS", "Siemens AG"],
  ["Industria de Diseno Textil SA", "Industria de Diseño Textil, S.A."],
  ["Anheuser-Busch InBev", "Anheuser-Busch InBev SA/NV"],
  ["Coca-Cola Company", "The Coca-Cola Company"],
  ["Hennes", undefined],
  ["AG", undefined],
])("finds %s as %s", (name, found) => {
  expect(findCompany(name)?.name).toBe(found);
});

test("completes an unknown partner from its own facts", () => {
  const text = `${ASK} Name: Müller, Söhne & Co. KG, Country: DE, City: Köln, Postal code: 50667, Street: Domplatz, House number: 3, VAT ID: DE123`;
  const answer = createAnswer(text, 7);
  expect(answer.text).toBe("Müller, Söhne & Co. KG, Domplatz 3, 50667 Köln, DE.");
  expect(answer.data.identifiers[1]).toEqual({ type: "VAT_ID", value: "DE123" });
});

test("makes up what is missing, always the same", () => {
  const text = `${ASK} Name: Nobody Ever Ltd, Country: FR`;
  const answer = createAnswer(text, 7);
  expect(answer.text).toMatch(/^Nobody Ever Ltd, Rue de la République \d{1,3}, \d{5} Paris, FR\.$/);
  expect(createAnswer(text, 7)).toEqual(answer);
  expect(createAnswer(text, 8)).not.toEqual(answer);
  const far = createAnswer(`${ASK} Name: Nobody, Country: ZZ`, 7);
  expect(far.text).toMatch(/Main Street \d+, \d+ Sandbox City, ZZ\.$/);
});

test("takes the beginning of a message without labels for the name", () => {
  expect(readPartnerName("  Who is Siemens?  ")).toBe("Who is Siemens?");
  expect(createAnswer("x".repeat(200), 1).data.name).toHaveLength(80);
});

test("the first of two equal labels counts", () => {
  expect(readPartnerName("Name: First, Name: Second")).toBe("First");
});

test("knows every partner of the sample file", () => {
  const rows = parse<{ name: string }>(readFileSync("samples/partners.csv"), { columns: true });
  const unknown = rows.map(({ name }) => name).filter((name) => findCompany(name) === undefined);
  expect(rows.length).toBeGreaterThan(30);
  expect(unknown).toEqual([]);
});
