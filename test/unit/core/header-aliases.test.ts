import { describe, expect, it } from "vitest";
import { HEADER_ALIASES } from "../../../src/core/header-aliases.ts";
import { foldHeader, matchHeader } from "../../../src/core/header-aliases-match.ts";
import { PARTNER_FIELDS } from "../../../src/core/partner.ts";

/** Folded names that stand for several fields, and the fields. */
function ambiguousNames(): Record<string, string[]> {
  const fields = new Map<string, Set<string>>();
  for (const { field, names } of HEADER_ALIASES) {
    for (const name of names) {
      const folded = foldHeader(name);
      fields.set(folded, new Set([...(fields.get(folded) ?? []), field]));
    }
  }
  const several = [...fields].filter(([, set]) => set.size > 1);
  return Object.fromEntries(several.map(([name, set]) => [name, [...set].toSorted()]));
}

describe("the header aliases", () => {
  it.each(PARTNER_FIELDS)("know %s by its own name", (field) => {
    expect(matchHeader(field)).toEqual([{ field, role: "main", rank: 0 }]);
  });

  it("hold no name that folds to nothing", () => {
    const names = HEADER_ALIASES.flatMap((list) => list.names);
    expect(names.filter((name) => foldHeader(name) === "")).toEqual([]);
  });

  it("leave only those names ambiguous that the mapping can settle", () => {
    const idOrName = ["internalId", "name"];
    const houseOrId = ["houseNumber", "internalId"];
    expect(ambiguousNames()).toEqual({
      vendor: idOrName,
      customer: idOrName,
      supplier: idOrName,
      partner: idOrName,
      lieferant: idOrName,
      no: houseOrId,
      n: houseOrId,
      nr: houseOrId,
      land: ["country", "region"],
      kraj: ["country", "region"],
    });
  });

  it.each([
    ["LIFNR", "internalId"],
    ["Kunden-/Lief.-Nr.", "internalId"],
    ["NAME_ORG1", "name"],
    ["Raison sociale", "name"],
    ["RAZÓN SOCIAL", "name"],
    ["Straße/Hausnr.", "street"],
    ["N.º porta", "houseNumber"],
    ["C.A.P.", "postalCode"],
    ["Miejscowość", "city"],
    ["Bundesland", "region"],
    ["Länderkennzeichen", "country"],
    ["P.IVA", "vatId"],
    ["USt-IdNr.", "vatId"],
    ["KvK-nummer", "registrationNumber"],
    ["D&B number", "duns"],
    ["entities.leiNumber", "lei"],
    ["Página web", "website"],
  ])("take %s for %s", (header, field) => {
    expect(matchHeader(header).map((match) => match.field)).toEqual([field]);
  });
});
