/**
 * The facts about a business partner that a row can carry and a message can tell.
 * The order is the order in which the default message names them.
 */
export const PARTNER_FIELDS = [
  "name",
  "country",
  "city",
  "postalCode",
  "street",
  "houseNumber",
  "region",
  "vatId",
  "registrationNumber",
  "duns",
  "lei",
  "website",
  "internalId",
] as const;

export type PartnerField = (typeof PARTNER_FIELDS)[number];

/** A row's mapped cells, trimmed and on one line each; absent means empty. Only `name` must be there. */
export type Partner = Readonly<{ name: string } & Partial<Record<PartnerField, string>>>;
