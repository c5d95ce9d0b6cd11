/** How postal codes look where they stand before the city. */
const POSTAL_CODES: Readonly<Record<string, RegExp>> = {
  AT: /^\d{4}/u,
  BE: /^\d{4}/u,
  CH: /^\d{4}/u,
  DE: /^\d{5}/u,
  DK: /^\d{4}/u,
  ES: /^\d{5}/u,
  FI: /^\d{5}/u,
  FR: /^\d{5}/u,
  IT: /^\d{5}/u,
  LU: /^\d{4}/u,
  NL: /^\d{4} ?[A-Z]{2}(?= )/u,
  NO: /^\d{4}/u,
  PL: /^\d{2}-\d{3}/u,
  PT: /^\d{4}-\d{3}/u,
  SE: /^\d{3} ?\d{2}/u,
};

/** Postal code and city of a text that holds both in that country's manner; `undefined` when it does not. */
export function splitPostalCity(
  text: string,
  country: string,
): { readonly postalCode: string; readonly city: string } | undefined {
  const [postalCode] = POSTAL_CODES[country]?.exec(text) ?? [];
  if (postalCode === undefined) return undefined;
  const city = /^[ ,/]+(?<city>\p{L}.*)$/u.exec(text.slice(postalCode.length))?.groups?.["city"];
  return city === undefined ? undefined : { postalCode, city };
}
