import { onTestFinished } from "vitest";
import type { Sandbox } from "../../../src/sandbox/agent.ts";
import { createSandbox } from "../../../src/sandbox/agent.ts";
import type { SandboxOptions } from "../../../src/sandbox/options.ts";

const PARTNER =
  "Provide me data to help onboarding my business partner Name: Boehringer Ingelheim GmbH, Country: DE, City: Bieberach";

interface WirePart {
  readonly text: string;
  readonly raw: string;
  readonly url: string;
  readonly data: unknown;
  readonly filename: string;
  readonly mediaType: string;
}

/** A list of which a test knows that it reaches as far as it looks. */
type Some<T> = readonly [T, T, T];

interface WireMessage {
  readonly role: string;
  readonly parts: Some<WirePart>;
}

/** Everything that a result may hold; what is absent is undefined all the same. */
interface WireResult extends WireMessage {
  readonly id: string;
  readonly contextId: string;
  readonly status: { readonly state: string; readonly timestamp: string; message: WireMessage };
  readonly artifacts: Some<{ readonly parts: Some<WirePart> }>;
  readonly history: readonly unknown[];
  readonly task: WireResult;
  readonly message: WireMessage;
}

interface WireError {
  readonly code: number;
  readonly message: string;
  readonly data: Some<Readonly<Record<string, unknown>>>;
}

interface RpcAnswer {
  readonly jsonrpc: string;
  readonly id: unknown;
  readonly result: WireResult;
  readonly error: WireError;
}

interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface Client {
  readonly url: string;
  readonly sandbox: Sandbox;
  post(body: string, headers?: Record<string, string>): Promise<RawAnswer>;
  call(method: string, params: unknown): Promise<RpcAnswer>;
  /** Sends without waiting for the end; gives the JSON-RPC response. */
  send(messageId: string, text?: string): Promise<RpcAnswer>;
  /** Sends and waits as the agent does by default. */
  sendBlocking(messageId: string, text?: string): Promise<RpcAnswer>;
  get(id: string): Promise<RpcAnswer>;
  cancel(id: string): Promise<RpcAnswer>;
}

export const HEADERS = { "content-type": "application/json", "a2a-version": "1.0" };

/** The parameters of a SendMessage. */
export function toParams(messageId: string, text = PARTNER) {
  return { message: { messageId, role: "ROLE_USER", parts: [{ text }] } };
}

/** A started sandbox whose tasks end at once, unless told otherwise, and a client for it. */
export async function setup(options: SandboxOptions = {}): Promise<Client> {
  const sandbox = createSandbox({ duration: { kind: "fixed", ms: 0 }, ...options });
  onTestFinished(() => sandbox.stop());
  const { url } = await sandbox.start();

  async function post(body: string, headers: Record<string, string> = HEADERS): Promise<RawAnswer> {
    const answer = await fetch(url, { method: "POST", headers, body, redirect: "manual" });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  async function call(method: string, params: unknown): Promise<RpcAnswer> {
    const { text } = await post(JSON.stringify({ jsonrpc: "2.0", id: "call-1", method, params }));
    return JSON.parse(text) as RpcAnswer;
  }

  return {
    url,
    sandbox,
    post,
    call,
    send: (messageId, text) =>
      call("SendMessage", {
        ...toParams(messageId, text),
        configuration: { returnImmediately: true },
      }),
    sendBlocking: (messageId, text) => call("SendMessage", toParams(messageId, text)),
    get: (id) => call("GetTask", { id }),
    cancel: (id) => call("CancelTask", { id }),
  };
}
