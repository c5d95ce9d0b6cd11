import type { Answer } from "./answer.ts";
import { createAnswer, readPartnerName } from "./answer.ts";
import type { SandboxSettings } from "./options.ts";
import type { Reply, RpcError, RpcId } from "./rpc.ts";
import type { ExtraPart, SandboxTask, TaskStatus } from "./task.ts";
import { COMPLETED, computeStatus } from "./task.ts";

type Json = Readonly<Record<string, unknown>>;

/** How replies are put into JSON. */
export type RenderSettings = Pick<SandboxSettings, "results" | "taskResults" | "style">;

/** Stands in the JSON for text too long to be built in memory; the sender fills it in. */
export const FILL_MARK = "@fill@";

/** How many bytes are to stand in the place of the mark; 0 for nearly all replies. */
export function computeFillBytes(reply: Reply): number {
  const extras = reply.kind === "task" ? reply.task.extras : [];
  return extras.find((extra) => extra.kind === "huge")?.bytes ?? 0;
}

/** The members that a server prints which fills in what is unset. */
function unset(settings: RenderSettings, members: Json): Json {
  return settings.style === "java" ? members : {};
}

function renderPart(settings: RenderSettings, content: Json): Json {
  return { ...unset(settings, { filename: "", mediaType: "" }), ...content };
}

function renderExtra(extra: ExtraPart): Json {
  switch (extra.kind) {
    case "huge":
      return { text: FILL_MARK };
    case "file":
      return {
        raw: Buffer.alloc(extra.bytes, "onboarding ").toString("base64"),
        filename: extra.name,
        mediaType: extra.mediaType,
      };
    case "url-part":
      return { url: extra.url, mediaType: "application/pdf" };
  }
}

function renderAnswer(answer: Answer, output: SandboxTask["output"]): Json[] {
  return [
    ...(output.text ? [{ text: answer.text }] : []),
    ...(output.data ? [{ data: answer.data, mediaType: "application/json" }] : []),
  ];
}

function renderArtifacts(settings: RenderSettings, task: SandboxTask): Json[] {
  const answer = createAnswer(task.text, task.textHash);
  const parts = [...renderAnswer(answer, task.output), ...task.extras.map(renderExtra)];
  return [
    {
      artifactId: "artifact-1",
      name: "Onboarding data",
      ...unset(settings, { description: "", extensions: [] }),
      parts: parts.map((part) => renderPart(settings, part)),
    },
  ];
}

/** The agent's usual words for an end that brings no data; empty for the others. */
function usualWords(state: string, partnerText: string): string {
  switch (state) {
    case "TASK_STATE_FAILED":
      return "The lookup of this business partner failed.";
    case "TASK_STATE_REJECTED":
      return "This request is outside of what the agent does.";
    case "TASK_STATE_CANCELED":
      return "Canceled on request.";
    case "TASK_STATE_INPUT_REQUIRED":
      return `Several companies are called ${readPartnerName(partnerText)}. Which street or registration number does yours have?`;
    case "TASK_STATE_AUTH_REQUIRED":
      return "The data source asks for an authorization.";
    default:
      return "";
  }
}

function renderAgentMessage(settings: RenderSettings, task: SandboxTask, text: string): Json {
  return {
    messageId: `${task.id}-status`,
    contextId: task.contextId,
    taskId: task.id,
    role: "ROLE_AGENT",
    parts: [renderPart(settings, { text })],
  };
}

function renderStatus(settings: RenderSettings, task: SandboxTask, status: TaskStatus): Json {
  const words = status.text ?? usualWords(status.state, task.text);
  return {
    ...(status.state === "" ? {} : { state: status.state }),
    ...(words === "" ? {} : { message: renderAgentMessage(settings, task, words) }),
    timestamp: new Date(status.atMs).toISOString(),
  };
}

function renderHistory(settings: RenderSettings, task: SandboxTask): Json[] {
  return [
    {
      messageId: task.messageId,
      contextId: task.contextId,
      taskId: task.id,
      role: "ROLE_USER",
      parts: [renderPart(settings, { text: task.text })],
    },
  ];
}

function renderTask(settings: RenderSettings, task: SandboxTask, historyLength: number): Json {
  const status = computeStatus(task, Date.now());
  if (status.phase === "terminal") {
    task.delivered = true;
  }
  return {
    id: task.id,
    contextId: task.contextId,
    status: renderStatus(settings, task, status),
    ...unset(settings, { artifacts: [], history: [], metadata: {} }),
    ...(status.state === COMPLETED.state ? { artifacts: renderArtifacts(settings, task) } : {}),
    ...(historyLength > 0 ? { history: renderHistory(settings, task) } : {}),
  };
}

function renderError(settings: RenderSettings, error: RpcError): Json {
  if (settings.style === "plain" || error.data !== undefined) {
    return { ...error };
  }
  const detail = {
    "@type": "type.googleapis.com/google.rpc.ErrorInfo",
    reason: "INJECTED",
    domain: "a2a-protocol.org",
    metadata: {},
  };
  return { ...error, data: [detail] };
}

function wrap(shape: "wrapped" | "bare", key: string, result: Json): Json {
  return shape === "wrapped" ? { [key]: result } : result;
}

function renderMessageReply(
  settings: RenderSettings,
  reply: Extract<Reply, { kind: "message" }>,
): Json {
  return {
    messageId: crypto.randomUUID(),
    contextId: reply.contextId,
    ...unset(settings, { taskId: "", extensions: [], referenceTaskIds: [] }),
    role: "ROLE_AGENT",
    parts: [renderPart(settings, { text: reply.text })],
  };
}

/** The JSON-RPC response to a call of a method. Marks a task as delivered when it tells its end. */
export function renderReply(
  settings: RenderSettings,
  call: { readonly id: RpcId | null; readonly method: string },
  reply: Reply,
): string {
  const head = { jsonrpc: "2.0", id: call.id };
  const taskShape = call.method === "SendMessage" ? settings.results : settings.taskResults;
  switch (reply.kind) {
    case "error":
      return JSON.stringify({ ...head, error: renderError(settings, reply.error) });
    case "message": {
      const result = wrap(settings.results, "message", renderMessageReply(settings, reply));
      return JSON.stringify({ ...head, result });
    }
    case "task": {
      const result = wrap(taskShape, "task", renderTask(settings, reply.task, reply.historyLength));
      return JSON.stringify({ ...head, result });
    }
  }
}
