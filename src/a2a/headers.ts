import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { A2A_VERSION } from "./wire.ts";

/** Printable ASCII: what every server takes in a header (RFC 9110 §5.5). */
const HEADER_VALUE = /^[\x21-\x7e]+$/;

/**
 * The headers of every request to the agent (A2A §3.6.1, §9.1): version, media types, and the key as `X-API-KEY`
 * unless it is empty.
 * @throws OnboardError (usage) when the key cannot stand in a header.
 */
export function agentHeaders(apiKey: string): Readonly<Record<string, string>> {
  const headers = {
    accept: "application/json",
    "a2a-version": A2A_VERSION,
    "user-agent": "onboard-batch",
  };
  if (apiKey === "") return headers;
  if (!HEADER_VALUE.test(apiKey)) {
    throw new OnboardError(
      EXIT.usage,
      "the API key holds spaces, line breaks or other characters",
      {
        hint: "look at ONBOARD_BATCH_API_KEY or the file in ONBOARD_BATCH_API_KEY_FILE",
      },
    );
  }
  return { ...headers, "x-api-key": apiKey };
}
