import { describe, expect, it } from "vitest";
import { classifyTransportError } from "../../../src/a2a/transport-failure.ts";

function coded(code: string): Error {
  return Object.assign(new Error(""), { code });
}

const UNWRITTEN = { host: "agent.example:443", written: false, proxied: false };
const WRITTEN = { ...UNWRITTEN, written: true };

describe("an error before the request was written", () => {
  it.each([
    ["ECONNREFUSED", "refused"],
    ["EHOSTUNREACH", "refused"],
    ["ENETUNREACH", "refused"],
    ["ETIMEDOUT", "refused"],
    ["ECONNRESET", "refused"],
    ["UND_ERR_CONNECT_TIMEOUT", "refused"],
    ["ENOTFOUND", "dns"],
    ["EAI_AGAIN", "dns"],
    ["CERT_HAS_EXPIRED", "tls"],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "tls"],
    ["SELF_SIGNED_CERT_IN_CHAIN", "tls"],
    ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", "tls"],
    ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls"],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "tls"],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "tls"],
    ["EPROTO", "tls"],
  ])("%s is never written, cause %s", (code, cause) => {
    expect(classifyTransportError(coded(code), UNWRITTEN)).toEqual({
      kind: "not-written",
      cause,
      code: "",
      message: expect.stringMatching(new RegExp(`agent\\.example:443.*\\(${code}\\)`)),
    });
  });

  it("is the proxy's unless it is about the agent's certificate", () => {
    const proxied = { ...UNWRITTEN, proxied: true };
    for (const code of ["ECONNREFUSED", "ENOTFOUND", "UND_ERR_ABORTED"]) {
      expect(classifyTransportError(coded(code), proxied)).toMatchObject({ cause: "proxy" });
    }
    expect(classifyTransportError(coded("CERT_HAS_EXPIRED"), proxied)).toMatchObject({
      cause: "tls",
    });
  });

  it("is found by the code of what caused it", () => {
    const error = new Error("outer", { cause: coded("ENOTFOUND") });
    expect(classifyTransportError(error, UNWRITTEN)).toMatchObject({ cause: "dns" });
    expect(classifyTransportError(new Error("x"), UNWRITTEN)).toMatchObject({ cause: "refused" });
    expect(classifyTransportError("odd", UNWRITTEN)).toMatchObject({ cause: "refused" });
  });
});

describe("an error after the request was written", () => {
  it.each(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET", "ENOTFOUND"])(
    "%s leaves the outcome unknown",
    (code) => {
      expect(classifyTransportError(coded(code), WRITTEN)).toMatchObject({ kind: "unavailable" });
    },
  );

  it.each(["HPE_INVALID_CONSTANT", "HPE_INVALID_CHUNK_SIZE", "UND_ERR_HEADERS_OVERFLOW"])(
    "%s is an answer that cannot be read",
    (code) => {
      expect(classifyTransportError(coded(code), WRITTEN)).toMatchObject({ kind: "protocol" });
    },
  );
});

it.each(["UND_ERR_DESTROYED", "UND_ERR_CLOSED"])("%s means that we stopped", (code) => {
  expect(classifyTransportError(coded(code), WRITTEN)).toMatchObject({ kind: "aborted" });
  expect(classifyTransportError(coded(code), UNWRITTEN)).toMatchObject({ kind: "aborted" });
});
