import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AnswerEffect } from "./faults.ts";
import { FILL_MARK } from "./render.ts";

/** An answer that is written as it is. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Faults that are sent without knowing the call. */
export type RawFault = Exclude<AnswerEffect, { kind: "rpc-error" | "wrong-id" }>;

const JSON_TYPE = { "content-type": "application/json" };
const FILL_CHUNK = "x".repeat(65_536);
const MARK = `"${FILL_MARK}"`;

/** Writes an answer unless the client is gone. Straight to the socket: this is the hot path. */
export function sendRaw(outgoing: ServerResponse, { status, headers, body }: RawAnswer): void {
  if (!outgoing.destroyed) {
    outgoing.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    outgoing.end(body);
  }
}

/** Writes a JSON-RPC response; HTTP 200 also for errors. */
export function sendJson(outgoing: ServerResponse, body: string): void {
  sendRaw(outgoing, { status: 200, headers: JSON_TYPE, body });
}

function* fill(json: string, at: number, sizeBytes: number): Generator<string> {
  yield `${json.slice(0, at)}"`;
  for (let left = sizeBytes; left > 0; left -= FILL_CHUNK.length) {
    yield left < FILL_CHUNK.length ? FILL_CHUNK.slice(0, left) : FILL_CHUNK;
  }
  yield `"${json.slice(at + MARK.length)}`;
}

/** Writes a response whose mark is filled with so many bytes, never holding more than a chunk of them. */
export async function sendFilled(
  outgoing: ServerResponse,
  json: string,
  sizeBytes: number,
): Promise<void> {
  const at = json.indexOf(MARK);
  if (at < 0) {
    sendJson(outgoing, json);
    return;
  }
  outgoing.writeHead(200, JSON_TYPE);
  try {
    await pipeline(Readable.from(fill(json, at, sizeBytes)), outgoing);
  } catch {
    // The client hung up in the middle, as it should: nothing is left to be told to it.
  }
}

/** What a gateway in front of the agent answers: not JSON-RPC. */
export function gatewayAnswer(status: number, message: string): RawAnswer {
  const body = JSON.stringify({ code: status * 100_000, message });
  return { status, headers: JSON_TYPE, body };
}

/** 429 with the Retry-After text, if any. */
export function throttledAnswer(retryAfter: string | undefined): RawAnswer {
  const answer = gatewayAnswer(429, "TOO_MANY_REQUESTS");
  return retryAfter === undefined
    ? answer
    : { ...answer, headers: { ...answer.headers, "retry-after": retryAfter } };
}

/** Answers with a fault of the transport: HTTP, throttling, reset, silence, rubbish. */
export function sendFault(outgoing: ServerResponse, effect: RawFault): void {
  switch (effect.kind) {
    case "http":
      sendRaw(outgoing, {
        ...effect,
        headers: { "content-type": "text/plain", ...effect.headers },
      });
      break;
    case "throttle":
      sendRaw(outgoing, throttledAnswer(effect.retryAfter));
      break;
    case "malformed":
      sendJson(outgoing, effect.body);
      break;
    case "reset":
      outgoing.socket?.resetAndDestroy();
      break;
    case "hang":
      // The socket stays open until the client or stop() closes it.
      break;
  }
}
