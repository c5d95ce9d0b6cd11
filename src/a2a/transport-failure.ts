import { types } from "node:util";
import type { CallFailure } from "../core/call.ts";

/** What was known of an exchange when it broke. */
export interface ExchangeFacts {
  /** Host and port, for the message. */
  readonly host: string;
  /** Whether the request had begun to be written: from then on something may have been paid. */
  readonly written: boolean;
  readonly proxied: boolean;
}

const DNS = /^(?:ENOTFOUND|ENODATA|EAI_)/;
const TLS =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|CRL_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|INVALID_PURPOSE|EPROTO)/;
/** Bytes that are not HTTP, or headers beyond all measure. undici names its parser error without a code. */
const GARBAGE = /^(?:HTTPParserError|HPE_|UND_ERR_HEADERS_OVERFLOW|UND_ERR_RES_)/;
const CLOSED_BY_US = /^UND_ERR_(?:DESTROYED|CLOSED)$/;

/** Names what broke an exchange, by the error codes of Node and undici. The code is in the message. */
export function classifyTransportError(error: unknown, facts: ExchangeFacts): CallFailure {
  const errno = errorCode(error);
  if (CLOSED_BY_US.test(errno)) return abortedFailure(facts);
  if (facts.written) return brokenFailure(errno, facts);
  return { kind: "not-written", code: "", ...describeUnwritten(errno, facts) };
}

/** No answer in time. Before the request was written that is an agent that cannot be reached. */
export function timedOutFailure(timeoutMs: number, facts: ExchangeFacts): CallFailure {
  return facts.written
    ? {
        kind: "timed-out",
        code: "",
        message: `no whole answer from ${facts.host} within ${timeoutMs} ms`,
      }
    : {
        kind: "not-written",
        cause: facts.proxied ? "proxy" : "refused",
        code: "",
        message: `no connection to ${facts.host} within ${timeoutMs} ms`,
      };
}

/** Our own signal, or the end of the program. */
export function abortedFailure(facts: ExchangeFacts): CallFailure {
  const when = facts.written ? "after" : "before";
  return { kind: "aborted", code: "", message: `stopped ${when} the request was written` };
}

/** The body passed its bound. */
export function tooLargeFailure(maxBytes: number, facts: ExchangeFacts): CallFailure {
  return {
    kind: "too-large",
    code: "",
    message: `the answer of ${facts.host} is larger than ${maxBytes} bytes (agent.maxResponseBytes)`,
  };
}

function brokenFailure(errno: string, facts: ExchangeFacts): CallFailure {
  return GARBAGE.test(errno)
    ? { kind: "protocol", code: "", message: `${facts.host} does not speak HTTP (${errno})` }
    : { kind: "unavailable", code: "", message: `${facts.host} broke the connection (${errno})` };
}

function describeUnwritten(
  errno: string,
  facts: ExchangeFacts,
): { readonly cause: "refused" | "dns" | "tls" | "proxy"; readonly message: string } {
  const { host } = facts;
  if (TLS.test(errno)) {
    return {
      cause: "tls",
      message: `the certificate or TLS of ${host} is not accepted (${errno})`,
    };
  }
  if (facts.proxied)
    return { cause: "proxy", message: `no way to ${host} by the proxy (${errno})` };
  if (DNS.test(errno)) return { cause: "dns", message: `the name ${host} is not found (${errno})` };
  return { cause: "refused", message: `no connection to ${host} (${errno})` };
}

/** The code of an error, or of what caused it. */
export function errorCode(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? error.name : errorCode(error.cause);
}
