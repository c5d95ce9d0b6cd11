import type { Company } from "./companies.ts";
import { findCompany } from "./companies.ts";
import { mixHash } from "./hash.ts";

/** What the agent found: text in the form of the vendor's example, and the same as data. */
export interface Answer {
  readonly text: string;
  readonly data: Company & {
    readonly identifiers: readonly { readonly type: string; readonly value: string }[];
  };
}

const LABELS = [
  "Name",
  "Country",
  "City",
  "Postal code",
  "Street",
  "House number",
  "Region",
  "VAT ID",
  "Registration number",
  "DUNS",
  "LEI",
  "Website",
] as const;

type Label = (typeof LABELS)[number];

/** Label -> value. */
interface Facts {
  get(label: Label): string | undefined;
}

const LABEL_PATTERN = new RegExp(`(?:^|[\\s,;])(${LABELS.join("|")}): `, "g");
const NAME_LENGTH = 80;

const STREETS: Readonly<Record<string, string>> = {
  AT: "Hauptstraße",
  CH: "Bahnhofstrasse",
  DE: "Industriestraße",
  ES: "Calle Mayor",
  FR: "Rue de la République",
  IT: "Via Roma",
  NL: "Stationsweg",
  PL: "ul. Polna",
};

const CAPITALS: Readonly<Record<string, string>> = {
  AT: "Wien",
  BE: "Bruxelles",
  CH: "Bern",
  CZ: "Praha",
  DE: "Berlin",
  DK: "København",
  ES: "Madrid",
  FI: "Helsinki",
  FR: "Paris",
  GB: "London",
  IT: "Roma",
  NL: "Amsterdam",
  NO: "Oslo",
  PL: "Warszawa",
  SE: "Stockholm",
  US: "Washington",
};

const STREET_DRAW = 201;
const POSTAL_DRAW = 202;
const ID_DRAW = 203;

/** The labelled facts of a message; a value reaches to the next label, so it may hold commas. */
function parseFacts(text: string): Facts {
  const facts = new Map<string, string>();
  const found = [...text.matchAll(LABEL_PATTERN)];
  for (const [position, match] of found.entries()) {
    const end = found[position + 1]?.index ?? text.length;
    const value = text.slice(match.index + match[0].length, end).replace(/[,;\s]+$/, "");
    const label = match[1] ?? "";
    if (!facts.has(label)) {
      facts.set(label, value);
    }
  }
  return facts;
}

function nameOf(facts: Facts, text: string): string {
  return facts.get("Name") ?? text.trim().slice(0, NAME_LENGTH);
}

function madeUpStreet(country: string, hash: number): string {
  return `${STREETS[country] ?? "Main Street"} ${1 + (mixHash(hash, STREET_DRAW) % 199)}`;
}

/** An address from the partner's own facts, the gaps filled with what the hash decides. */
function inventCompany(facts: Facts, text: string, hash: number): Company {
  const country = facts.get("Country") ?? "DE";
  const street = [facts.get("Street"), facts.get("House number")].filter(
    (piece) => piece !== undefined,
  );
  return {
    name: nameOf(facts, text),
    street: street.length > 0 ? street.join(" ") : madeUpStreet(country, hash),
    postalCode: facts.get("Postal code") ?? String(10_000 + (mixHash(hash, POSTAL_DRAW) % 89_999)),
    city: facts.get("City") ?? CAPITALS[country] ?? "Sandbox City",
    country,
  };
}

/** The partner's name as the message tells it, else the message's beginning. */
export function readPartnerName(text: string): string {
  return nameOf(parseFacts(text), text);
}

/** The enriched data for a message: always the same for the same text and hash. */
export function createAnswer(text: string, hash: number): Answer {
  const facts = parseFacts(text);
  const company = findCompany(nameOf(facts, text)) ?? inventCompany(facts, text, hash);
  const sandboxId = mixHash(hash, ID_DRAW).toString(16).padStart(8, "0");
  const vatId = facts.get("VAT ID");
  return {
    text: `${company.name}, ${company.street}, ${company.postalCode} ${company.city}, ${company.country}.`,
    data: {
      ...company,
      identifiers: [
        { type: "SANDBOX_ID", value: sandboxId },
        ...(vatId === undefined ? [] : [{ type: "VAT_ID", value: vatId }]),
      ],
    },
  };
}
