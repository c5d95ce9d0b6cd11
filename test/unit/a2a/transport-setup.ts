import { onTestFinished } from "vitest";
import type { HttpRequest, TransportOptions } from "../../../src/a2a/transport.ts";
import { createTransport } from "../../../src/a2a/transport.ts";

/** A transport that is closed at the end of the test, and a way to POST with it. */
export function setup(options: TransportOptions = {}) {
  const transport = createTransport(options);
  onTestFinished(() => transport.close());
  const send = (url: string, members: Partial<HttpRequest> = {}) =>
    transport.exchange({
      method: "POST",
      url: new URL(url),
      headers: { "x-api-key": "k", "content-type": "application/json" },
      body: "{}",
      timeoutMs: 20_000,
      maxResponseBytes: 1_000_000,
      signal: new AbortController().signal,
      ...members,
    });
  return { transport, send };
}

/** The failure of an exchange that must have failed. */
export async function failureOf(result: ReturnType<ReturnType<typeof setup>["send"]>) {
  const settled = await result;
  if (settled.kind === "reply") throw new Error(`HTTP ${settled.status}`);
  return settled.failure;
}
