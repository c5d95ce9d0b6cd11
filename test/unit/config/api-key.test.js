import { describe, expect, it } from "vitest";
import { demandApiKey } from "../../../src/config/api-key.js";

describe("demandApiKey", () => {
  it("refuses a run against a distant agent without a key", () => {
    expect(() => {
      demandApiKey({ url: "https://api.example.com/", auth: "api-key" }, undefined);
    }).toThrow(
      expect.objectContaining({ exitCode: 2, message: expect.stringContaining("api.example.com") }),
    );
  });
  it.each([
    ["https://api.example.com/", "api-key", "k"],
    ["https://api.example.com/", "none", undefined],
    ["sandbox", "api-key", undefined],
    ["http://localhost:8091/", "api-key", undefined],
    ["http://127.0.0.2:8091/", "api-key", undefined],
    ["http://[::1]:8091/", "api-key", undefined],
  ])("lets %s with auth %s and key %s pass", (url, auth, key) => {
    expect(() => {
      demandApiKey({ url, auth }, key);
    }).not.toThrow();
  });
  it("does not take a name that begins like loopback for this machine", () => {
    expect(() => {
      demandApiKey({ url: "https://127.0.0.1.example.com/", auth: "api-key" }, undefined);
    }).toThrow("needs an API key");
  });
});
