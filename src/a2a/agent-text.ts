/** What agents say about errors may be long, hold terminal codes, or repeat our key. */
const MAX_AGENT_TEXT_CHARS = 1_000;
const MAX_QUOTE_CHARS = 100;
/** A shorter key is one for trials, and its letters are everywhere. */
const MIN_SECRET_CHARS = 8;

/** C0, C1, line separators and bidirectional overrides: whatever could disturb a line of text. */
const CONTROL = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu;

/** An agent's own words on one line, without control characters and without `secret`, at most 1000 characters. */
export function agentText(text: string, secret: string): string {
  return bound(text, secret, MAX_AGENT_TEXT_CHARS);
}

/** The beginning of a body that was not understood, at most 100 characters. */
export function quoteBody(body: string, secret: string): string {
  return body.trim() === "" ? "an empty body" : `“${bound(body, secret, MAX_QUOTE_CHARS)}”`;
}

function bound(text: string, secret: string, maxChars: number): string {
  // Bodies can be megabytes; only what can still matter is looked at.
  const head = text.slice(0, maxChars * 8 + secret.length);
  const open = secret.length < MIN_SECRET_CHARS ? head : head.replaceAll(secret, "[key]");
  const line = open.replace(CONTROL, " ").trim();
  if (line.length <= maxChars) return line;
  return `${line.slice(0, maxChars - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
