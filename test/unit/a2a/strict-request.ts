/**
 * What the specification's proto names, read as strictly as servers do that do not ignore unknown fields.
 * Kept apart from the client's own types, which it checks.
 */
import { z } from "zod";

const metadataSchema = z.record(z.string(), z.unknown());

const CONTENT_MEMBERS = ["text", "raw", "url", "data"] as const;

const partSchema = z
  .strictObject({
    text: z.string().optional(),
    raw: z.string().optional(),
    url: z.string().optional(),
    data: z.unknown().optional(),
    metadata: metadataSchema.optional(),
    filename: z.string().optional(),
    mediaType: z.string().optional(),
  })
  .refine((part) => CONTENT_MEMBERS.filter((member) => member in part).length === 1, {
    error: "a part holds exactly one of text, raw, url, data",
  });

const messageSchema = z.strictObject({
  messageId: z.string().min(1),
  contextId: z.string().optional(),
  taskId: z.string().optional(),
  role: z.enum(["ROLE_USER", "ROLE_AGENT"]),
  parts: z.array(partSchema).min(1),
  metadata: metadataSchema.optional(),
  extensions: z.array(z.string()).optional(),
  referenceTaskIds: z.array(z.string()).optional(),
});

/** All four members, the id a string or an integer: neither notification nor batch. */
const rpcRequestSchema = z.strictObject({
  jsonrpc: z.literal("2.0"),
  id: z.union([z.string(), z.int()]),
  method: z.enum(["SendMessage", "GetTask", "CancelTask"]),
  params: metadataSchema,
});

const sendMessageParamsSchema = z.strictObject({
  tenant: z.string().optional(),
  message: messageSchema,
  configuration: z
    .strictObject({
      acceptedOutputModes: z.array(z.string()).optional(),
      historyLength: z.int().min(0).optional(),
      returnImmediately: z.boolean().optional(),
      taskPushNotificationConfig: metadataSchema.optional(),
    })
    .optional(),
  metadata: metadataSchema.optional(),
});

const getTaskParamsSchema = z.strictObject({
  tenant: z.string().optional(),
  id: z.string().min(1),
  historyLength: z.int().min(0).optional(),
});

const cancelTaskParamsSchema = z.strictObject({
  tenant: z.string().optional(),
  id: z.string().min(1),
  metadata: metadataSchema.optional(),
});

/** Method -> what its request may hold. */
const PARAMS = {
  SendMessage: sendMessageParamsSchema,
  GetTask: getTaskParamsSchema,
  CancelTask: cancelTaskParamsSchema,
};

/** Throws for a request body that a strict server would refuse. */
export function checkRequest(body: string): void {
  const { method, params } = rpcRequestSchema.parse(JSON.parse(body));
  PARAMS[method].parse(params);
}
