import type {
  ArtifactContent,
  KnownTaskState,
  MessageReply,
  PartContent,
  TaskSnapshot,
  TaskState,
} from "../core/call.ts";
import { TASK_STATES } from "../core/call.ts";
import type { JsonObject } from "./json.ts";
import { isDeeperThan, isJsonObject, listOf, textOf } from "./json.ts";

/** Values are walked recursively when they are stored; deeper ones would overflow the stack there. */
const MAX_DEPTH = 64;
const MAX_RAW_STATE_CHARS = 100;

/** What a body held, read as JSON-RPC 2.0. `why` completes the sentence "the answer …". */
export type Envelope =
  | { readonly kind: "result"; readonly result: JsonObject }
  | { readonly kind: "error"; readonly error: RpcError }
  | { readonly kind: "unreadable"; readonly why: string };

/** A JSON-RPC error as it came; `data` is whatever the agent put there. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
}

/** A result of SendMessage, or why it is none. */
export type SendResult =
  | { readonly kind: "task"; readonly task: TaskSnapshot }
  | { readonly kind: "message"; readonly message: MessageReply }
  | { readonly kind: "unreadable"; readonly why: string };

/** A result of GetTask or CancelTask, or why it is none. */
export type TaskResult = Exclude<SendResult, { readonly kind: "message" }>;

/**
 * Reads a body as the JSON-RPC answer to the request `rpcId`.
 * A result must carry that id. An error may carry any, since agents answer null or made-up ids when they
 * could not read the request, and HTTP pairs request and answer already.
 */
export function readEnvelope(body: string, rpcId: string): Envelope {
  const parsed = parseJson(body);
  if (!isJsonObject(parsed)) return unreadable("is not a JSON-RPC object");
  if (isDeeperThan(parsed, MAX_DEPTH))
    return unreadable(`is nested deeper than ${MAX_DEPTH} levels`);
  const { result = null, error = null } = parsed;
  if (error !== null) {
    return result === null ? readError(parsed, error) : unreadable("holds a result and an error");
  }
  if (result === null) return unreadable("holds neither a result nor an error");
  if (parsed["id"] !== rpcId) return unreadable("belongs to another request");
  return isJsonObject(result)
    ? { kind: "result", result }
    : unreadable("holds no object as result");
}

function readError(envelope: JsonObject, error: unknown): Envelope {
  const code = isJsonObject(error) ? integerOf(error["code"]) : undefined;
  // Gateways have `error` objects of their own; only `jsonrpc` makes one an answer of the agent.
  if (envelope["jsonrpc"] !== "2.0" || !isJsonObject(error) || code === undefined) {
    return unreadable("holds an error that is not JSON-RPC's");
  }
  return {
    kind: "error",
    error: { code, message: textOf(error["message"]), data: error["data"] },
  };
}

/**
 * Reads the result of SendMessage: wrapped as the specification has it (A2A §9.4.1), bare as CDQ documents it,
 * or told apart by `kind` as in 0.3.
 */
export function readSendResult(result: JsonObject): SendResult {
  const { task, message, kind } = result;
  if (isJsonObject(task)) return readTask(task);
  if (isJsonObject(message) && !("status" in result)) return readMessage(message);
  if (kind === "task" || isJsonObject(result["status"])) return readTask(result);
  if (kind === "message" || (textOf(result["messageId"]) !== "" && "parts" in result)) {
    return readMessage(result);
  }
  return unreadable("holds neither a task nor a message");
}

/** Reads the result of GetTask or CancelTask, bare (A2A §9.4.3) or wrapped. */
export function readTaskResult(result: JsonObject): TaskResult {
  return readTask(isJsonObject(result["task"]) ? result["task"] : result);
}

function readTask(raw: JsonObject): TaskResult {
  const taskId = textOf(raw["id"]);
  if (taskId === "") return unreadable("holds a task without an id");
  const status = isJsonObject(raw["status"]) ? raw["status"] : {};
  const message = status["message"];
  return {
    kind: "task",
    task: {
      taskId,
      contextId: textOf(raw["contextId"]),
      state: readState(status["state"]),
      statusParts: isJsonObject(message) ? readParts(message["parts"]) : [],
      statusAtMs: readTimestamp(status["timestamp"]),
      artifacts: readArtifacts(raw["artifacts"]),
    },
  };
}

function readMessage(raw: JsonObject): SendResult {
  return {
    kind: "message",
    message: { contextId: textOf(raw["contextId"]), parts: readParts(raw["parts"]) },
  };
}

function readArtifacts(raw: unknown): readonly ArtifactContent[] {
  return listOf(raw)
    .filter((artifact) => artifact !== null)
    .map((artifact) =>
      isJsonObject(artifact)
        ? { name: textOf(artifact["name"]), parts: readParts(artifact["parts"]) }
        : { name: "", parts: [{ kind: "data", data: artifact }] },
    );
}

function readParts(raw: unknown): readonly PartContent[] {
  return listOf(raw)
    .filter((part) => part !== null)
    .map(readPart);
}

/**
 * One part, told apart by which content member is there, not by whether it is truthy: `{"data": null}` and
 * `{"text": ""}` are legal (A2A §4.1.6). Members that are null or empty beside a filled one are unset.
 */
function readPart(raw: unknown): PartContent {
  if (!isJsonObject(raw)) return { kind: "data", data: raw };
  const present = CONTENT_MEMBERS.filter((member) => member in raw);
  const filled = present.filter((member) => raw[member] !== null && raw[member] !== "");
  const [member] = filled.length > 0 ? filled : present;
  const whole: PartContent = { kind: "data", data: raw };
  if (filled.length > 1) return whole;
  if (member === undefined) return readLegacyFile(raw["file"]) ?? whole;
  if (member === "data") return { kind: "data", data: raw["data"] };
  const content = raw[member] ?? "";
  if (typeof content !== "string") return whole;
  if (member === "text") return { kind: "text", text: content };
  return fileOf(member, content, { name: raw["filename"], mediaType: raw["mediaType"] });
}

const CONTENT_MEMBERS = ["text", "raw", "url", "data"] as const;

/** A file as 0.3 spells it: `{kind: "file", file: {uri or bytes, mimeType, name}}`. */
function readLegacyFile(file: unknown): PartContent | undefined {
  if (!isJsonObject(file)) return undefined;
  const labels = { name: file["name"], mediaType: file["mimeType"] };
  const { uri, bytes } = file;
  if (typeof uri === "string" && uri !== "") return fileOf("url", uri, labels);
  return typeof bytes === "string" ? fileOf("raw", bytes, labels) : undefined;
}

interface FileLabels {
  readonly name: unknown;
  readonly mediaType: unknown;
}

function fileOf(member: "url" | "raw", content: string, labels: FileLabels): PartContent {
  const name = textOf(labels.name);
  const mediaType = textOf(labels.mediaType);
  return member === "url"
    ? { kind: "url", url: content, name, mediaType }
    : { kind: "raw", base64: content, name, mediaType };
}

/** Spelling -> state: the proto's names, its enum numbers (ProtoJSON), and 0.3's names. */
const STATE_OF: ReadonlyMap<unknown, TaskState> = new Map(
  TASK_STATES.flatMap((state) => {
    const known: TaskState = { kind: "known", state };
    const legacyName = state.toLowerCase().replace("_", "-");
    return [`TASK_STATE_${state}`, numberOfState(state), legacyName].map(
      (spelling) => [spelling, known] as const,
    );
  }),
);

/** The proto numbers the states from 1, in the order of TASK_STATES. */
function numberOfState(state: KnownTaskState): number {
  return TASK_STATES.indexOf(state) + 1;
}

/** A state this program knows in any of its spellings; everything else stays unknown, with its raw value. */
function readState(raw: unknown): TaskState {
  const known = STATE_OF.get(raw);
  if (known !== undefined) return known;
  const value = raw ?? "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return { kind: "unknown", raw: text.slice(0, MAX_RAW_STATE_CHARS) };
}

/** ISO 8601 with up to nine fraction digits (A2A §5.6.1); without a zone it means UTC. */
function readTimestamp(raw: unknown): number | undefined {
  if (typeof raw !== "string" || raw === "") return undefined;
  const atMs = Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(raw) ? raw : `${raw}Z`);
  return Number.isNaN(atMs) ? undefined : atMs;
}

function integerOf(raw: unknown): number | undefined {
  const value = typeof raw === "string" && /^-?\d{1,9}$/.test(raw) ? Number(raw) : raw;
  return typeof value === "number" && Number.isInteger(value) ? value : undefined;
}

/** The JSON value, or undefined for a text that is none; a byte order mark is no fault. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

function unreadable(why: string): { readonly kind: "unreadable"; readonly why: string } {
  return { kind: "unreadable", why };
}
