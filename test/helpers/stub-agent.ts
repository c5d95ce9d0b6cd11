import { once } from "node:events";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:http";
import { setTimeout as delay } from "node:timers/promises";

type StubMethod = "SendMessage" | "GetTask" | "CancelTask";

/** What the stub does with one call. */
export type StubAnswer =
  /** `id` stands in for the request's own. */
  | { readonly kind: "result"; readonly result: unknown; readonly id?: unknown }
  | {
      readonly kind: "error";
      readonly code: number;
      readonly message: string;
      readonly data?: unknown;
      readonly id?: unknown;
    }
  | {
      readonly kind: "http";
      readonly status: number;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The connection stays open, and nothing comes. */
  | { readonly kind: "silence" }
  | { readonly kind: "reset" }
  /** A body of so many bytes, with or without its length in a header. */
  | { readonly kind: "flood"; readonly sizeBytes: number; readonly announced: boolean };

/** One JSON-RPC call that reached the stub. */
export interface StubCall {
  readonly atMs: number;
  readonly method: StubMethod;
  /** The partner's name: of the message, or of the message that made the task; empty when unknown. */
  readonly name: string;
  /** How many calls of this method for this name there have been, this one included. */
  readonly nth: number;
  /** Of a GetTask or CancelTask as asked for; for a SendMessage the id that its task shall have. */
  readonly taskId: string;
  /** Of a SendMessage; empty for the others. */
  readonly messageId: string;
  readonly rpcId: unknown;
  readonly params: Readonly<Record<string, unknown>>;
  readonly headers: IncomingHttpHeaders;
  readonly path: string;
  /** Aborted when the stub stops. */
  readonly signal: AbortSignal;
}

/** Any HTTP request, the card's included. */
interface StubRequest {
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** How the calls about one partner are answered; what is left out ends well at the first poll. */
export type StubScript = Partial<
  Readonly<Record<StubMethod, (call: StubCall) => StubAnswer | Promise<StubAnswer>>>
>;

export interface StubOptions {
  /** Scripts by the partner's name. */
  readonly scripts?: Readonly<Record<string, StubScript>>;
  /** For the names without a script of their own. */
  readonly otherwise?: StubScript;
  /** Path of the base URL, with a slash at its end. */
  readonly path?: string;
  /** The answer to a request for the card; one of the specification's shape by default. */
  readonly card?: (baseUrl: string) => StubAnswer;
}

/** An agent over plain HTTP that does what its scripts say, and remembers every call. */
export interface StubAgent {
  /** Base URL, with a slash at its end. */
  readonly url: string;
  readonly requests: readonly StubRequest[];
  /** The calls in the order of their arrival, of one name and method when given. */
  calls(name?: string, method?: StubMethod): readonly StubCall[];
  /** Ids of all tasks that it has made. */
  readonly taskIds: ReadonlySet<string>;
  /** Bytes that were taken off each flood. */
  readonly floods: readonly number[];
  stop(): Promise<void>;
}

const KNOWN_KEYS: Readonly<Record<StubMethod, ReadonlySet<string>>> = {
  SendMessage: new Set(["tenant", "message", "configuration", "metadata"]),
  GetTask: new Set(["tenant", "id", "historyLength"]),
  CancelTask: new Set(["tenant", "id", "metadata"]),
};

const KNOWN_CONFIGURATION_KEYS: ReadonlySet<string> = new Set([
  "acceptedOutputModes",
  "taskPushNotificationConfig",
  "historyLength",
  "returnImmediately",
]);

/**
 * Starts a stub on a free port of loopback. Calls with fields outside the specification, and ids that
 * it never gave out, are refused whatever the scripts say.
 */
export async function startStubAgent(options: StubOptions = {}): Promise<StubAgent> {
  const { path = "/agent/", scripts = {}, otherwise = {}, card } = options;
  const log: StubCall[] = [];
  const requests: StubRequest[] = [];
  const floods: number[] = [];
  const nameOfTask = new Map<string, string>();
  const ended = new AbortController();

  /** Which task and partner a call is about; a SendMessage makes a task. */
  function subjectOf({ method, params }: RpcRequest): Pick<StubCall, "name" | "taskId"> {
    if (method !== "SendMessage") {
      const { id: taskId = "" } = params;
      return { taskId, name: nameOfTask.get(taskId) ?? "" };
    }
    const taskId = `task-${nameOfTask.size + 1}-of-stub`;
    const name = nameIn(params.message?.parts[0]?.text ?? "");
    nameOfTask.set(taskId, name);
    return { taskId, name };
  }

  function readCall({ headers, url = "" }: IncomingMessage, body: string): StubCall {
    const request = JSON.parse(body) as RpcRequest;
    const { method, id: rpcId, params } = request;
    const { name, taskId } = subjectOf(request);
    return {
      atMs: performance.now(),
      method,
      name,
      nth: log.filter((call) => call.name === name && call.method === method).length + 1,
      taskId,
      messageId: params.message?.messageId ?? "",
      rpcId,
      params: { ...params },
      headers,
      path: url,
      signal: ended.signal,
    };
  }

  async function answer(call: StubCall): Promise<StubAnswer> {
    const unknownKey = findUnknownKey(call);
    if (unknownKey !== undefined) return rpcError(-32602, `unknown field ${unknownKey}`);
    if (!nameOfTask.has(call.taskId)) return rpcError(-32001, `no task ${call.taskId}`);
    const script = scripts[call.name]?.[call.method] ?? otherwise[call.method];
    return script === undefined ? endWell(call) : script(call);
  }

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url = "", headers } = incoming;
    requests.push({ atMs: performance.now(), method, path: url, headers });
    if (method !== "POST") {
      give(outgoing, { answer: (card ?? specCard)(baseUrl), rpcId: undefined, floods });
      return;
    }
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const call = readCall(incoming, Buffer.concat(chunks).toString("utf8"));
    log.push(call);
    give(outgoing, { answer: await answer(call), rpcId: call.rpcId, floods });
  }

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch((error: unknown) => {
      // A fault of a script, unless the stub has stopped meanwhile: to be seen in the test's run.
      outgoing.writeHead(500).end(`the stub agent failed: ${String(error)}`);
    });
  });
  server.keepAliveTimeout = 120_000;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no TCP address");
  const baseUrl = `http://127.0.0.1:${address.port}${path}`;

  return {
    url: baseUrl,
    requests,
    calls: (name, method) =>
      log.filter(
        (call) =>
          (name === undefined || call.name === name) &&
          (method === undefined || call.method === method),
      ),
    get taskIds() {
      return new Set(nameOfTask.keys());
    },
    floods,
    stop: async () => {
      ended.abort();
      if (!server.listening) return;
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface RpcRequest {
  readonly id: unknown;
  readonly method: StubMethod;
  readonly params: {
    readonly id?: string;
    readonly message?: {
      readonly messageId: string;
      readonly parts: readonly { readonly text?: string }[];
    };
  };
}

function nameIn(text: string): string {
  return /Name: ([^,]+)/.exec(text)?.[1] ?? "";
}

/** As a strict reader of ProtoJSON: the first field that the specification does not know. */
function findUnknownKey({ method, params }: StubCall): string | undefined {
  const unknown = Object.keys(params).find((key) => !KNOWN_KEYS[method].has(key));
  const configuration = Object.keys(params["configuration"] ?? {});
  return unknown ?? configuration.find((key) => !KNOWN_CONFIGURATION_KEYS.has(key));
}

/** A working task, which the first poll finds completed. */
function endWell(call: StubCall): StubAnswer {
  switch (call.method) {
    case "SendMessage":
      return taskAnswer(call, "TASK_STATE_WORKING");
    case "GetTask":
      return completed(call);
    case "CancelTask":
      return rpcError(-32002, "the task cannot be canceled");
  }
}

/** A task as the specification has it. */
export function taskOf(call: StubCall, state: unknown, more: object = {}): object {
  return {
    id: call.taskId,
    contextId: `context-of-${call.taskId}`,
    status: { state, timestamp: "2026-01-02T03:04:05.678Z" },
    ...more,
  };
}

/** A task as the result of a call: wrapped for a SendMessage, bare for the others (A2A §9.4). */
export function taskAnswer(call: StubCall, state: unknown, more: object = {}): StubAnswer {
  const task = taskOf(call, state, more);
  return { kind: "result", result: call.method === "SendMessage" ? { task } : task };
}

/** A task that ended with the text `Done <name>`. */
export function completed(call: StubCall): StubAnswer {
  return taskAnswer(call, "TASK_STATE_COMPLETED", { artifacts: [textArtifact(doneText(call))] });
}

export function doneText({ name }: Pick<StubCall, "name">): string {
  return `Done ${name}`;
}

export function textArtifact(text: string): object {
  return { artifactId: "a-1", name: "Result", parts: [{ text }] };
}

/** A task whose status says something. */
export function taskSaying(call: StubCall, state: unknown, text: string): StubAnswer {
  const message = { messageId: "m-1", role: "ROLE_AGENT", parts: [{ text }] };
  return taskAnswer(call, state, { status: { state, message } });
}

export function rpcError(code: number, message: string): StubAnswer {
  return { kind: "error", code, message };
}

/** The answer, so much later. */
export async function later(call: StubCall, ms: number, answer: StubAnswer): Promise<StubAnswer> {
  await delay(ms, undefined, { signal: call.signal });
  return answer;
}

/** A card as JSON. */
export function cardAnswer(card: unknown): StubAnswer {
  return { kind: "http", status: 200, body: JSON.stringify(card) };
}

function specCard(url: string): StubAnswer {
  return cardAnswer({
    name: "Stub",
    supportedInterfaces: [{ url, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
  });
}

interface Giving {
  readonly answer: StubAnswer;
  readonly rpcId: unknown;
  readonly floods: number[];
}

function give(outgoing: ServerResponse, { answer, rpcId, floods }: Giving): void {
  switch (answer.kind) {
    case "result":
      giveJson(outgoing, { id: "id" in answer ? answer.id : rpcId, result: answer.result });
      return;
    case "error": {
      const { code, message, data } = answer;
      const id = "id" in answer ? answer.id : rpcId;
      giveJson(outgoing, { id, error: { code, message, data } });
      return;
    }
    case "http":
      outgoing.writeHead(answer.status, { "content-type": "application/json", ...answer.headers });
      outgoing.end(answer.body);
      return;
    case "silence":
      return;
    case "reset":
      outgoing.socket?.resetAndDestroy();
      return;
    case "flood":
      flood(outgoing, answer, floods);
  }
}

function giveJson(outgoing: ServerResponse, members: object): void {
  outgoing.writeHead(200, { "content-type": "application/json" });
  outgoing.end(JSON.stringify({ jsonrpc: "2.0", ...members }));
}

const FLOOD_CHUNK = Buffer.alloc(65_536, "x");

function flood(
  outgoing: ServerResponse,
  { sizeBytes, announced }: Extract<StubAnswer, { kind: "flood" }>,
  floods: number[],
): void {
  outgoing.writeHead(200, {
    "content-type": "application/json",
    ...(announced ? { "content-length": sizeBytes } : {}),
  });
  outgoing.write('{"jsonrpc":"2.0","result":{"task":{"id":"');
  let takenBytes = 0;
  const pour = (): void => {
    while (takenBytes < sizeBytes && !outgoing.destroyed) {
      takenBytes += FLOOD_CHUNK.length;
      if (!outgoing.write(FLOOD_CHUNK)) return;
    }
    outgoing.destroy();
  };
  outgoing.on("drain", pour);
  outgoing.on("close", () => floods.push(takenBytes));
  pour();
}
