import { describe, expect, it } from "vitest";
import {
  assertAllowedUrl,
  cardUrlOf,
  defaultEndpoint,
  isLoopback,
} from "../../../src/a2a/agent-url.ts";
import { OnboardError } from "../../../src/core/errors.ts";

describe("isLoopback", () => {
  it.each(["http://localhost:1/", "http://127.0.0.1/", "http://127.1/", "https://[::1]:8/"])(
    "holds for %s",
    (url) => expect(isLoopback(new URL(url))).toBe(true),
  );

  it.each([
    "http://127.example.com/",
    "http://localhost.example.com/",
    "http://10.0.0.1/",
    "http://0.0.0.0/",
  ])("does not hold for %s", (url) => expect(isLoopback(new URL(url))).toBe(false));
});

describe("assertAllowedUrl", () => {
  it.each(["https://api.cdq.com/a2a/cdq-genius", "http://127.0.0.1:8091/", "http://localhost/"])(
    "lets %s pass without a word",
    (url) => {
      expect(assertAllowedUrl(url, false)).toEqual({ url: new URL(url), warnings: [] });
    },
  );

  it("warns of plain http to another host when it is allowed", () => {
    const { warnings } = assertAllowedUrl("http://agent.example/", true);
    expect(warnings).toEqual([
      "partner data and key go to agent.example unencrypted (agent.allowHttp)",
    ]);
  });

  it.each([
    ["http://agent.example/", "not encrypted"],
    ["agent.example/a2a", "not an http(s) URL"],
    ["ftp://agent.example/", "not an http(s) URL"],
    ["https://user:pass@agent.example/", "user name or password"],
  ])("refuses %s as a user's mistake, saying what to do", (url, why) => {
    const refused = (() => {
      try {
        return assertAllowedUrl(url, false);
      } catch (error) {
        return error;
      }
    })();
    expect(refused).toBeInstanceOf(OnboardError);
    expect(refused).toMatchObject({ exitCode: 2, message: expect.stringContaining(why) });
    expect((refused as OnboardError).hint).toBeTruthy();
    expect((refused as OnboardError).message).not.toContain("pass@");
  });
});

describe("addresses below the base URL", () => {
  it.each([
    ["https://h/a2a/cdq-genius", "https://h/a2a/cdq-genius/"],
    ["https://h/a2a/cdq-genius/", "https://h/a2a/cdq-genius/"],
    ["https://h", "https://h/"],
    ["https://h/a//#part", "https://h/a/"],
  ])("keep the whole path of %s", (base, endpoint) => {
    expect(defaultEndpoint(base)).toBe(endpoint);
    expect(cardUrlOf(base)).toBe(`${endpoint}.well-known/agent-card.json`);
  });
});
