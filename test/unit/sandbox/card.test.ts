import { expect, test } from "vitest";
import { createCard } from "../../../src/sandbox/card.ts";

const URL_ASKED = "http://127.0.0.1:8091/";
const BASE = { cardUrl: undefined, protocolVersion: "1.0", requiredExtension: undefined };

test("the cdq card is flat", () => {
  const card = createCard({ ...BASE, card: "cdq" }, URL_ASKED);
  expect(card).toMatchObject({
    protocolVersion: "1.0",
    url: URL_ASKED,
    preferredTransport: "JSONRPC",
    capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: false },
  });
  expect(card).not.toHaveProperty("supportedInterfaces");
});

test("the spec card lists its interfaces and security, and is not flat", () => {
  const card = createCard({ ...BASE, card: "spec" }, URL_ASKED);
  expect(card).toMatchObject({
    supportedInterfaces: [{ url: URL_ASKED, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    securitySchemes: { apiKey: { apiKeySecurityScheme: { name: "X-API-KEY" } } },
  });
  expect(card).not.toHaveProperty("url");
  expect(card.capabilities).not.toHaveProperty("stateTransitionHistory");
});

test("the hybrid card is both", () => {
  const card = createCard({ ...BASE, card: "hybrid" }, URL_ASKED);
  expect(card).toHaveProperty("url", URL_ASKED);
  expect(card).toHaveProperty("supportedInterfaces");
});

test("names another endpoint, version and a required extension when ordered", () => {
  const settings = {
    card: "hybrid",
    cardUrl: "http://elsewhere.example/",
    protocolVersion: "0.3.0",
    requiredExtension: "https://example.com/ext",
  } as const;
  expect(createCard(settings, URL_ASKED)).toMatchObject({
    url: "http://elsewhere.example/",
    protocolVersion: "0.3.0",
    supportedInterfaces: [{ url: "http://elsewhere.example/", protocolVersion: "0.3.0" }],
    capabilities: { extensions: [{ uri: "https://example.com/ext", required: true }] },
  });
});
