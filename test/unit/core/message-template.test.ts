import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_TEMPLATE,
  type MessageTemplate,
  parseTemplate,
  renderMessage,
} from "../../../src/core/message-template.ts";
import type { Partner } from "../../../src/core/partner.ts";

const boehringer: Partner = {
  name: "Boehringer Ingelheim GmbH",
  country: "DE",
  city: "Bieberach",
  internalId: "1004",
};

function template(text: string): MessageTemplate {
  const parsed = parseTemplate(text);
  if (parsed.kind === "problem") throw new Error(parsed.message);
  return parsed.template;
}

function problem(text: string): string {
  const parsed = parseTemplate(text);
  return parsed.kind === "problem" ? parsed.message : "";
}

const render = (text: string, partner: Partner = boehringer) =>
  renderMessage(template(text), partner);

describe("the default template", () => {
  it("says exactly the words of the agent's example", () => {
    expect(render(DEFAULT_TEMPLATE)).toBe(
      "Provide me data to help onboarding my business partner Name: Boehringer Ingelheim GmbH, Country: DE, City: Bieberach",
    );
  });

  it("appends every further field in the same manner", () => {
    const partner: Partner = {
      ...boehringer,
      postalCode: "88400",
      street: "Birkendorfer Straße",
      houseNumber: "65",
      region: "BW",
      vatId: "DE1",
      registrationNumber: "HRB 2",
      duns: "3",
      lei: "4",
      website: "https://example.com",
    };
    expect(render(DEFAULT_TEMPLATE, partner)).toBe(
      "Provide me data to help onboarding my business partner Name: Boehringer Ingelheim GmbH, Country: DE, " +
        "City: Bieberach, Postal code: 88400, Street: Birkendorfer Straße, House number: 65, Region: BW, VAT ID: DE1, " +
        "Registration number: HRB 2, DUNS: 3, LEI: 4, Website: https://example.com",
    );
  });

  it("leaves empty fields out with their labels", () => {
    expect(render(DEFAULT_TEMPLATE, { name: "ACME", city: "", lei: "L" })).toBe(
      "Provide me data to help onboarding my business partner Name: ACME, LEI: L",
    );
  });
});

describe("renderMessage", () => {
  it("inserts nothing for an empty field outside brackets", () => {
    expect(render("{name} ({duns})")).toBe("Boehringer Ingelheim GmbH ()");
  });

  it("leaves a piece out when any of its fields is empty", () => {
    expect(render("{name}[ in {city}, {country}][ at {street} {houseNumber}]")).toBe(
      "Boehringer Ingelheim GmbH in Bieberach, DE",
    );
  });

  it("takes escaped marks for text", () => {
    expect(render(String.raw`\{name\} \[{name}\] \\`)).toBe(
      String.raw`{name} [Boehringer Ingelheim GmbH] \ `.trimEnd(),
    );
  });

  it("never reads marks in the partner's own values", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (name) => {
        expect(render("<{name}>[ {city}]", { name })).toBe(`<${name}>`);
      }),
    );
  });

  it("gives any plain text back when it is escaped", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const escaped = text.replaceAll(/[{}[\]\\]/gu, String.raw`\$&`);
        expect(render(`${escaped}{country}`)).toBe(`${text}DE`);
      }),
    );
  });
});

describe("parseTemplate", () => {
  it.each([
    ["Name: {nmae}", "{nmae} at character 7 is not a field. Did you mean {name}?"],
    ["{postal_code}", "Did you mean {postalCode}?"],
    ["{zzzzzz}", "{zzzzzz} at character 1 is not a field. Fields: name, country"],
    ["{name} {internalId}", "{internalId} at character 8: the internal id is never sent"],
    ["Hello", "inserts no field"],
    ["", "inserts no field"],
    ["{name}[, {city}", 'The "[" at character 7 is never closed'],
    ["{name}], {city}", 'The "]" at character 7 has no partner'],
    ["{name", 'The "{" at character 1 has no partner'],
    ["name}{name}", 'The "}" at character 5 has no partner'],
    ["{name}[ {city}[ {lei}]]", 'The "[" at character 15 is inside another piece'],
    ["{name}[ plain ]", "The piece in brackets at character 7 inserts no field"],
    [String.raw`{name}\n`, "The backslash at character 7"],
  ])("refuses %j", (text, message) => {
    expect(problem(text)).toContain(message);
  });

  it("allows blanks around a field's name", () => {
    expect(render("{ name }")).toBe("Boehringer Ingelheim GmbH");
  });
});

describe("a template without {houseNumber}", () => {
  const parsed = parseTemplate("{name}[, {street}]");
  const renderStreet = (partner: Parameters<typeof renderMessage>[1]): string =>
    parsed.kind === "template" ? renderMessage(parsed.template, partner) : parsed.message;

  it("tells it with the street, in the country's order", () => {
    const partner = { name: "A", street: "Rue X", houseNumber: "17" };
    expect(renderStreet({ ...partner, country: "FR" })).toBe("A, 17 Rue X");
    expect(renderStreet({ ...partner, country: "DE" })).toBe("A, Rue X 17");
    expect(renderStreet(partner)).toBe("A, Rue X 17");
    expect(renderStreet({ name: "A", street: "Rue X" })).toBe("A, Rue X");
    expect(renderStreet({ name: "A", houseNumber: "17" })).toBe("A");
  });
});
