import type { CallFailure } from "../core/call.ts";
import { agentText } from "./agent-text.ts";
import { CARD_PATH, cardUrlOf, defaultEndpoint } from "./agent-url.ts";
import type { HttpReply } from "./classify.ts";
import { classifyReply } from "./classify.ts";
import { agentHeaders } from "./headers.ts";
import type { JsonObject } from "./json.ts";
import { isJsonObject, listOf, textOf } from "./json.ts";
import { parseJson } from "./reply.ts";
import type { Transport } from "./transport.ts";

export interface ReadCardOptions {
  readonly transport: Transport;
  /** Base URL as configured, with or without a slash at its end. */
  readonly agentUrl: string;
  /** Sent as `X-API-KEY`; none when absent or empty. */
  readonly apiKey?: string | undefined;
  readonly requestTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly signal: AbortSignal;
}

/** What the card said about how to call the agent. */
export type CardReading =
  | {
      readonly kind: "ready";
      readonly endpoint: string;
      /** To be sent with every request; empty when there is none (A2A §8.3.2). */
      readonly tenant: string;
      readonly name: string;
      readonly warnings: readonly string[];
    }
  /** No card that can be read: the configured base URL is called instead (A2A §8.2). */
  | { readonly kind: "unreadable"; readonly endpoint: string; readonly warnings: readonly string[] }
  /** A redirect, a required extension, or no JSON-RPC interface of version 1.0. */
  | { readonly kind: "wrong-agent"; readonly message: string }
  | { readonly kind: "credentials"; readonly message: string }
  /** Worth asking again later. */
  | { readonly kind: "away"; readonly failure: CallFailure }
  /** The name or the certificate is wrong: waiting will not help. */
  | { readonly kind: "unreachable"; readonly failure: CallFailure };

/**
 * Reads the agent card below the base URL (A2A §8) and chooses the endpoint. Cards of the specification
 * (`supportedInterfaces`), flat ones as CDQ's, and hybrids are understood.
 * The endpoint is taken from the card only when it has the configured origin, so that no card can lead the key astray.
 */
export async function readAgentCard(options: ReadCardOptions): Promise<CardReading> {
  const { transport, agentUrl, requestTimeoutMs, maxResponseBytes, signal } = options;
  const secret = options.apiKey ?? "";
  const reply = await transport.exchange({
    method: "GET",
    url: new URL(cardUrlOf(agentUrl)),
    headers: agentHeaders(secret),
    body: null,
    timeoutMs: requestTimeoutMs,
    maxResponseBytes,
    signal,
  });
  if (reply.kind === "failure") return readingOfFailure(reply.failure, agentUrl);
  return reply.status === 200
    ? readCard(reply.body, agentUrl)
    : readingOfStatus(reply, agentUrl, secret);
}

function readingOfStatus(reply: HttpReply, agentUrl: string, secret: string): CardReading {
  // A card is no JSON-RPC answer, but what a status means is the same as for a poll.
  const context = { method: "GetTask", rpcId: "", secret, nowMs: Date.now() } as const;
  const isMissing = reply.status === 404 || reply.status === 405;
  const classified = classifyReply(reply, context);
  if (isMissing || classified.kind === "result") {
    return unreadable(agentUrl, `HTTP ${reply.status}`);
  }
  return readingOfFailure(classified.failure, agentUrl);
}

/** Failures after which the same question may be answered later. */
const PASSING: ReadonlySet<CallFailure["kind"]> = new Set([
  "timed-out",
  "unavailable",
  "throttled",
  "aborted",
]);

function readingOfFailure(failure: CallFailure, agentUrl: string): CardReading {
  if (failure.kind === "credentials" || failure.kind === "wrong-agent") {
    return { kind: failure.kind, message: failure.message };
  }
  if (failure.kind === "not-written") {
    const isWrongName = failure.cause === "dns" || failure.cause === "tls";
    return { kind: isWrongName ? "unreachable" : "away", failure };
  }
  return PASSING.has(failure.kind)
    ? { kind: "away", failure }
    : unreadable(agentUrl, failure.message);
}

function unreadable(agentUrl: string, why: string): CardReading {
  const endpoint = defaultEndpoint(agentUrl);
  return {
    kind: "unreadable",
    endpoint,
    warnings: [`the agent card cannot be read (${why}); calls go to ${endpoint}`],
  };
}

function readCard(body: string, agentUrl: string): CardReading {
  const card = parseJson(body);
  if (!isJsonObject(card)) return unreadable(agentUrl, "it is not a JSON object");
  const extension = requiredExtension(card);
  if (extension !== undefined) {
    return {
      kind: "wrong-agent",
      message: `the agent demands the extension ${extension}, which this program does not have`,
    };
  }
  const offers = offersOf(card);
  if (offers.length === 0) return unreadable(agentUrl, "it names no interface");
  const chosen = offers.find(isUsable);
  if (chosen === undefined) return { kind: "wrong-agent", message: describeOffers(offers) };
  return ready(card, chosen, agentUrl);
}

function ready(card: JsonObject, chosen: Offer, agentUrl: string): CardReading {
  const why = whyNotUsed(chosen.url, agentUrl);
  const configured = defaultEndpoint(agentUrl);
  const warnings = [
    ...(why === undefined ? [] : [`the agent card's endpoint ${why}; calls go to ${configured}`]),
    ...(chosen.version === "" ? ["the agent card does not name its protocol version"] : []),
  ];
  return {
    kind: "ready",
    endpoint: why === undefined ? chosen.url : configured,
    tenant: chosen.tenant,
    name: agentText(textOf(card["name"]), "").slice(0, 200),
    warnings,
  };
}

/** One way to call the agent that a card offers. */
interface Offer {
  readonly url: string;
  readonly binding: string;
  readonly version: string;
  readonly tenant: string;
}

/** In order of preference: the specification's list, then the flat card's own URL and its further interfaces. */
function offersOf(card: JsonObject): readonly Offer[] {
  const listed = listOf(card["supportedInterfaces"])
    .filter(isJsonObject)
    .map((offer) => ({
      url: textOf(offer["url"]),
      binding: textOf(offer["protocolBinding"]),
      version: textOf(offer["protocolVersion"]),
      tenant: textOf(offer["tenant"]),
    }));
  const version = textOf(card["protocolVersion"]);
  // Beside a list, a flat part without version is a 0.3 left-over.
  if (listed.length > 0 && version === "") return listed;
  return [...listed, ...flatOffers(card, version)];
}

function flatOffers(card: JsonObject, version: string): readonly Offer[] {
  const own = { url: textOf(card["url"]), binding: textOf(card["preferredTransport"]) };
  const further = listOf(card["additionalInterfaces"])
    .filter(isJsonObject)
    .map((offer) => ({ url: textOf(offer["url"]), binding: textOf(offer["transport"]) }));
  return [own, ...further]
    .filter((offer) => offer.url !== "")
    .map(({ url, binding }) => ({
      url,
      binding: binding === "" ? "JSONRPC" : binding,
      version,
      tenant: "",
    }));
}

/** JSON-RPC in 1.0, patch numbers ignored (A2A §3.6). */
function isUsable(offer: Offer): boolean {
  const speaksVersion = offer.version === "" || /^1\.0(?:\.\d+)*$/.test(offer.version);
  return offer.binding.toUpperCase() === "JSONRPC" && speaksVersion;
}

function describeOffers(offers: readonly Offer[]): string {
  const seen = offers.map(({ binding, version }) => `${binding} ${version}`.trim()).join(", ");
  return `the agent offers ${agentText(seen, "").slice(0, 200)}, but not JSONRPC 1.0`;
}

/** Why an endpoint of the card is not called, completing "the endpoint …"; undefined when it is. */
function whyNotUsed(endpoint: string, agentUrl: string): string | undefined {
  if (!URL.canParse(endpoint)) return "is no absolute URL";
  const url = new URL(endpoint);
  if (url.username !== "" || url.password !== "") return "holds a user name or password";
  const { origin } = new URL(agentUrl);
  if (url.origin !== origin) return `is on another origin (${url.origin})`;
  return url.pathname.endsWith(`/${CARD_PATH}`) ? "is the card's own address" : undefined;
}

/** The URI of an extension that the client must declare or be refused (A2A §3.3.4, §4.6.3). */
function requiredExtension(card: JsonObject): string | undefined {
  const { capabilities } = card;
  if (!isJsonObject(capabilities)) return undefined;
  const required = listOf(capabilities["extensions"])
    .filter(isJsonObject)
    .find((extension) => extension["required"] === true);
  if (required === undefined) return undefined;
  return agentText(textOf(required["uri"]), "").slice(0, 200) || "without a name";
}
