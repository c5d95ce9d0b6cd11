import type { SandboxSettings } from "./options.ts";

type CardSettings = Pick<
  SandboxSettings,
  "card" | "cardUrl" | "protocolVersion" | "requiredExtension"
>;

function flatEndpoint(settings: CardSettings, url: string) {
  return { protocolVersion: settings.protocolVersion, url, preferredTransport: "JSONRPC" };
}

function listedEndpoint(settings: CardSettings, url: string) {
  const { protocolVersion } = settings;
  return { supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion }] };
}

function endpointOf(settings: CardSettings, url: string) {
  switch (settings.card) {
    case "cdq":
      return flatEndpoint(settings, url);
    case "spec":
      return listedEndpoint(settings, url);
    case "hybrid":
      return { ...flatEndpoint(settings, url), ...listedEndpoint(settings, url) };
  }
}

function capabilitiesOf({ card, requiredExtension }: CardSettings) {
  return {
    streaming: false,
    pushNotifications: false,
    ...(card === "spec" ? {} : { stateTransitionHistory: false }),
    ...(requiredExtension === undefined
      ? {}
      : { extensions: [{ uri: requiredExtension, required: true }] }),
  };
}

function securityOf({ card }: CardSettings) {
  return card === "cdq"
    ? {}
    : {
        securitySchemes: {
          apiKey: { apiKeySecurityScheme: { location: "header", name: "X-API-KEY" } },
        },
        securityRequirements: [{ schemes: { apiKey: { list: [] } } }],
      };
}

/**
 * The agent card: flat as in CDQ's document, with `supportedInterfaces` as in A2A 1.0 (§4.4.1), or both.
 * `askedUrl` is the base address at which the card was asked for.
 */
export function createCard(settings: CardSettings, askedUrl: string) {
  return {
    ...endpointOf(settings, settings.cardUrl ?? askedUrl),
    name: "CDQ Genius (sandbox)",
    description: "A simulated agent for trying out and testing partner onboarding.",
    version: "1.0",
    provider: { organization: "Sandbox", url: "https://example.com" },
    capabilities: capabilitiesOf(settings),
    ...securityOf(settings),
    defaultInputModes: ["text/plain"],
    defaultOutputModes: ["text/plain", "application/json"],
    skills: [
      {
        id: "business-partner-onboarding",
        name: "Business partner onboarding",
        description: "Completes what is known about a business partner.",
        tags: ["onboarding"],
        examples: [
          "Provide me data to help onboarding my business partner Name: Siemens AG, Country: DE",
        ],
      },
    ],
  };
}
