import { z } from "zod";
import type { SandboxTask } from "./task.ts";

/** A JSON-RPC id as the agent's document allows it. */
export type RpcId = string | number;

/** A JSON-RPC error to answer with; A2A §5.4, §9.5. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** What a call came to, before it is put into JSON. */
export type Reply =
  | { readonly kind: "task"; readonly task: SandboxTask; readonly historyLength: number }
  | { readonly kind: "message"; readonly text: string; readonly contextId: string }
  | { readonly kind: "error"; readonly error: RpcError };

export interface RpcRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export type ParsedRequest =
  | { readonly kind: "request"; readonly request: RpcRequest }
  | { readonly kind: "error"; readonly id: RpcId | null; readonly error: RpcError };

const envelopeSchema = z.object({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.int()]),
  method: z.string(),
  params: z.record(z.string(), z.unknown()),
});

const idSchema = z.object({ id: z.union([z.string(), z.int()]) });

/** A reply that is an error. */
export function errorReply(code: number, message: string, data?: unknown): Reply {
  return { kind: "error", error: { code, message, ...(data === undefined ? {} : { data }) } };
}

function parseJson(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body) };
  } catch {
    return undefined;
  }
}

function readId(value: unknown): RpcId | null {
  const parsed = idSchema.safeParse(value);
  return parsed.success ? parsed.data.id : null;
}

/** Reads one JSON-RPC request (no batches, no notifications); -32700 or -32600 otherwise. */
export function parseRequest(body: string): ParsedRequest {
  const json = parseJson(body);
  if (json === undefined) {
    return { kind: "error", id: null, error: { code: -32700, message: "Invalid JSON payload." } };
  }
  const envelope = envelopeSchema.safeParse(json.value);
  if (envelope.success) {
    return { kind: "request", request: envelope.data };
  }
  return {
    kind: "error",
    id: readId(json.value),
    error: { code: -32600, message: "The payload is not a JSON-RPC 2.0 request." },
  };
}
