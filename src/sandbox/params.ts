/**
 * The parameters of the three methods, as strict as a server that reads ProtoJSON without ignoring
 * unknown fields (A2A proto: SendMessageRequest, GetTaskRequest, CancelTaskRequest). Own shapes on
 * purpose: a peer that shared them with the client would share the client's mistakes.
 */

import { z } from "zod";
import type { Reply } from "./rpc.ts";
import { errorReply } from "./rpc.ts";

const metadata = z.record(z.string(), z.unknown()).optional();
const text = z.string();
const strings = z.array(text);

const CONTENT_KEYS = ["text", "raw", "url", "data"] as const;

const partSchema = z
  .strictObject({
    text: text.optional(),
    raw: z.base64().optional(),
    url: text.optional(),
    data: z.unknown().optional(),
    filename: text.optional(),
    mediaType: text.optional(),
    metadata,
  })
  .refine((part) => CONTENT_KEYS.filter((key) => key in part).length === 1, {
    error: "exactly one of text, raw, url, data must be set",
  });

const messageSchema = z.strictObject({
  messageId: text.min(1),
  role: z.literal("ROLE_USER"),
  parts: z.array(partSchema).min(1),
  contextId: text.optional(),
  taskId: text.optional(),
  metadata,
  extensions: strings.optional(),
  referenceTaskIds: strings.optional(),
});

const sendSchema = z.strictObject({
  message: messageSchema,
  configuration: z
    .strictObject({
      acceptedOutputModes: strings.optional(),
      historyLength: z.int32().min(0).optional(),
      returnImmediately: z.boolean().optional(),
      taskPushNotificationConfig: z.record(z.string(), z.unknown()).optional(),
    })
    .optional(),
  metadata,
  tenant: text.optional(),
});

const getTaskSchema = z.strictObject({
  id: text.min(1),
  historyLength: z.int32().min(0).optional(),
  tenant: text.optional(),
});

const cancelTaskSchema = z.strictObject({
  id: text.min(1),
  metadata,
  tenant: text.optional(),
});

export type SendParams = z.output<typeof sendSchema>;
export type GetTaskParams = z.output<typeof getTaskSchema>;
export type CancelTaskParams = z.output<typeof cancelTaskSchema>;

/** The checked call, or the reply that refuses it (-32601, -32602). */
export type CheckedCall =
  | { readonly kind: "SendMessage"; readonly params: SendParams }
  | { readonly kind: "GetTask"; readonly params: GetTaskParams }
  | { readonly kind: "CancelTask"; readonly params: CancelTaskParams }
  | { readonly kind: "refused"; readonly reply: Reply };

function refuse(error: z.ZodError): CheckedCall {
  const issue = error.issues[0];
  const place = issue === undefined ? "" : issue.path.join(".");
  const reason = issue === undefined ? "" : issue.message;
  return {
    kind: "refused",
    reply: errorReply(-32602, `Invalid request content: ${place}: ${reason}`, [
      { reason: "INVALID_PARAMS", domain: "a2a-protocol.org", metadata: {} },
    ]),
  };
}

function checkSend(params: unknown): CheckedCall {
  const parsed = sendSchema.safeParse(params);
  return parsed.success ? { kind: "SendMessage", params: parsed.data } : refuse(parsed.error);
}

function checkGetTask(params: unknown): CheckedCall {
  const parsed = getTaskSchema.safeParse(params);
  return parsed.success ? { kind: "GetTask", params: parsed.data } : refuse(parsed.error);
}

function checkCancelTask(params: unknown): CheckedCall {
  const parsed = cancelTaskSchema.safeParse(params);
  return parsed.success ? { kind: "CancelTask", params: parsed.data } : refuse(parsed.error);
}

/** Checks a method and its parameters. */
export function checkCall(method: string, params: unknown): CheckedCall {
  switch (method) {
    case "SendMessage":
      return checkSend(params);
    case "GetTask":
      return checkGetTask(params);
    case "CancelTask":
      return checkCancelTask(params);
    default:
      return {
        kind: "refused",
        reply: errorReply(-32601, `The method ${method.slice(0, 100)} does not exist.`),
      };
  }
}

/** The words of a message: its text parts, one a line. */
export function readMessageText(message: SendParams["message"]): string {
  return message.parts.map((part) => part.text ?? "").join("\n");
}
