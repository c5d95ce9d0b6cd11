import { z } from "zod";

/** The three methods that the agent offers (A2A §5.3). */
export const RPC_METHODS = ["SendMessage", "GetTask", "CancelTask"] as const;

export type RpcMethod = (typeof RPC_METHODS)[number];

const milliseconds = z.number().min(0).max(86_400_000);
const sizeBytes = z.int().min(0).max(1_073_741_824);
const callIndex = z.int().min(1);

/** Whether the work of the call is done before the fault strikes: a lost answer instead of a lost request. */
const after = z.boolean().default(false);

const durationSchema = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("fixed"), ms: milliseconds }),
  z.strictObject({ kind: z.literal("uniform"), minMs: milliseconds, maxMs: milliseconds }),
  z.strictObject({
    kind: z.literal("lognormal"),
    medianMs: milliseconds,
    sigma: z.number().min(0).max(5),
    maxMs: milliseconds.default(30_000),
  }),
]);

const matchSchema = z.strictObject({
  /** Only calls whose partner text holds these words. */
  textIncludes: z.string().min(1).optional(),
  /** Only this share of the texts, 0 to 1; the same texts in every run with the same seed. */
  share: z.number().min(0).max(1).optional(),
  /** Left out: every method for faults of the call, SendMessage for faults of the task. */
  method: z.enum(RPC_METHODS).optional(),
  /** Only the n-th call about that message or task, 1-based, counted for each method. */
  nth: callIndex.optional(),
  /** Only from this call of the method on (1-based, counted over all tasks). */
  from: callIndex.optional(),
  /** Only up to this call of the method, itself included. */
  to: callIndex.optional(),
});

const effectSchema = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("rpc-error"),
    code: z.int(),
    message: z.string().default("Injected fault."),
    data: z.json().optional(),
    after,
  }),
  z.strictObject({
    kind: z.literal("http"),
    status: z.int().min(200).max(599),
    headers: z.record(z.string(), z.string()).default({}),
    body: z.string().default(""),
    after,
  }),
  z.strictObject({ kind: z.literal("throttle"), retryAfter: z.string().optional() }),
  z.strictObject({ kind: z.literal("reset"), after }),
  z.strictObject({ kind: z.literal("hang"), after }),
  z.strictObject({ kind: z.literal("slow"), ms: milliseconds }),
  z.strictObject({
    kind: z.literal("malformed"),
    body: z.string().default('{"jsonrpc":"2.0","result":{"id":"'),
    after,
  }),
  z.strictObject({ kind: z.literal("wrong-id") }),
  z.strictObject({
    kind: z.literal("end"),
    /** A state of A2A §4.1.3 without its prefix, or any other text, sent as it is; empty leaves the state out. */
    state: z.string(),
    text: z.string().optional(),
    /** The task goes on by itself and is COMPLETED so long after it came into that state. */
    resumeAfterMs: milliseconds.optional(),
  }),
  z.strictObject({ kind: z.literal("message"), text: z.string().optional() }),
  z.strictObject({ kind: z.literal("lose-task") }),
  z.strictObject({ kind: z.literal("huge"), bytes: sizeBytes }),
  z.strictObject({
    kind: z.literal("file"),
    name: z.string(),
    mediaType: z.string(),
    bytes: sizeBytes,
  }),
  z.strictObject({ kind: z.literal("url-part"), url: z.string() }),
]);

/** Faults that shape the answer of a task and so make sense only when the task is made. */
const BIRTH_FAULTS: ReadonlySet<string> = new Set(["message", "huge", "file", "url-part"]);

const faultRuleSchema = z
  .strictObject({ match: matchSchema.default({}), effect: effectSchema })
  .refine(
    ({ match, effect }) =>
      !BIRTH_FAULTS.has(effect.kind) || (match.method ?? "SendMessage") === "SendMessage",
    {
      path: ["match", "method"],
      error: "message, huge, file and url-part are faults of SendMessage only",
    },
  );

const limitSchema = z.strictObject({
  sendPerSecond: z.number().positive(),
  /** Length of the window in which the sends are counted. */
  windowMs: z.number().positive().max(3_600_000).default(1000),
});

/** Everything that can be ordered of the simulated agent; strict, so that a mistyped key is told. */
export const sandboxOptionsSchema = z.strictObject({
  host: z.string().min(1).default("127.0.0.1"),
  /** 0 takes any free port. */
  port: z.int().min(0).max(65_535).default(0),
  /** Demanded as `X-API-KEY` on the card and on every call; left out, every caller is let in. */
  apiKey: z.string().min(1).optional(),
  card: z.enum(["cdq", "spec", "hybrid"]).default("cdq"),
  /** The endpoint that the card names; left out, the address at which the card was asked for. */
  cardUrl: z.string().optional(),
  /** The version that the card claims. */
  protocolVersion: z.string().default("1.0"),
  /** URI of an extension that the card marks required and without which every call is -32008. */
  requiredExtension: z.string().min(1).optional(),
  dedupeMessageIds: z.boolean().default(true),
  blocking: z.enum(["honour-flag", "ignore-flag"]).default("honour-flag"),
  /** Shape of the result of SendMessage: bare as in CDQ's document, or wrapped as in A2A §9.4.1. */
  results: z.enum(["wrapped", "bare"]).default("bare"),
  /** Shape of the result of GetTask and CancelTask. */
  taskResults: z.enum(["wrapped", "bare"]).default("bare"),
  /** `java` prints what is unset as empty strings and lists. */
  style: z.enum(["plain", "java"]).default("plain"),
  /** Adds a data part to every answer, asked for or not. */
  structured: z.boolean().default(false),
  duration: durationSchema.default({ kind: "lognormal", medianMs: 800, sigma: 0.6, maxMs: 30_000 }),
  /** Decides durations, shares and made-up addresses; the same seed gives the same. */
  seed: z.int().min(0).max(4_294_967_295).default(1),
  limit: limitSchema.optional(),
  /** Tried in order: delays and task faults add up, the first fault that is itself an answer wins. */
  faults: z.array(faultRuleSchema).default([]),
  /** Tasks whose end was delivered are forgotten, oldest first, when more than so many are kept. */
  maxTasks: z.int().min(1).default(100_000),
});

/** What a caller or a YAML file may give; all of it optional. */
export type SandboxOptions = z.input<typeof sandboxOptionsSchema>;

/** The options with every default filled in. */
export type SandboxSettings = z.output<typeof sandboxOptionsSchema>;

export type FaultRule = SandboxSettings["faults"][number];
export type FaultMatch = FaultRule["match"];
export type FaultEffect = FaultRule["effect"];
export type EffectKind = FaultEffect["kind"];
export type EffectOf<K extends EffectKind> = Extract<FaultEffect, { kind: K }>;
export type DurationSetting = SandboxSettings["duration"];
