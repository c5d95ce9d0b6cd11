/** No agent can hold the traffic back for longer than this by one answer. */
const MAX_RETRY_AFTER_MS = 3_600_000;

const SECONDS = /^\d+(?:\.\d+)?$/;
const HTTP_DATE = /^[A-Za-z]{3,9},? /;

/**
 * Milliseconds that a Retry-After header asks to wait (RFC 9110 §10.2.3: seconds or an HTTP-date), at most one hour.
 * `nowMs` is the sender's clock if it told it (its Date header), since its date is meant by that clock.
 * Undefined when the text is neither.
 */
export function parseRetryAfter(text: string, nowMs: number): number | undefined {
  const trimmed = text.trim();
  if (SECONDS.test(trimmed)) return cap(Number(trimmed) * 1_000);
  const atMs = parseHttpDate(trimmed);
  return atMs === undefined ? undefined : cap(atMs - nowMs);
}

/** Milliseconds since the epoch of an HTTP-date in any of its three forms (RFC 9110 §5.6.7), else undefined. */
export function parseHttpDate(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  // The asctime form names no zone and means UTC, which Date.parse would take for local time.
  const atMs = Date.parse(text.endsWith("GMT") ? text : `${text} GMT`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

/** Milliseconds of a protobuf duration as in google.rpc.RetryInfo (`"3.5s"`), at most one hour, else undefined. */
export function parseRetryDelay(text: string): number | undefined {
  return text.endsWith("s") && SECONDS.test(text.slice(0, -1))
    ? cap(Number(text.slice(0, -1)) * 1_000)
    : undefined;
}

function cap(ms: number): number {
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, Math.ceil(ms)));
}
