import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { type Message, type Part, Role, type Task, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  type AgentExecutor,
  type ExecutionEventBus,
  type RequestContext,
} from "@a2a-js/sdk/server";

/** What the executor does with a message whose partner's name begins with the word. */
export type PeerScript =
  /** Task, working, artifact, completed. */
  | "Quick"
  /** One event: a task that has ended already. */
  | "Terse"
  /** As Quick, but after 300 ms. */
  | "Slow"
  /** A message and no task. */
  | "Message"
  /** An artifact with every kind of part. */
  | "Parts"
  /** An artifact in three appended pieces. */
  | "Chunks"
  /** The answer in the status message alone. */
  | "Status"
  /** Completed without any word. */
  | "Wordless"
  | "Input"
  | "Auth"
  | "Failed"
  | "Rejected"
  | "Canceled"
  | "Unspecified"
  /** Throws before any event. */
  | "Throws"
  /** Throws after the task's first event. */
  | "Breaks"
  /** Returns without any event. */
  | "Silent"
  /** Returns while the task is working. */
  | "Early"
  /** Works until it is asked to cancel, then does. */
  | "Obedient"
  /** Works on, whatever it is asked; CancelTask then never answers. */
  | "Stubborn"
  /** An artifact of 2 MiB. */
  | "Huge";

const SLOW_MS = 300;
const HUGE_CHARS = 2 * 1024 * 1024;

/** Does with each message what the partner's name says. */
export class ScriptedExecutor implements AgentExecutor {
  /** The names of all messages, in the order of their execution. */
  readonly names: string[] = [];
  /** Task id -> name, of every message. */
  readonly tasks = new Map<string, string>();
  readonly #canceled = new Set<string>();
  readonly #ended = new AbortController();

  constructor() {
    setMaxListeners(0, this.#ended.signal);
  }

  stop(): void {
    this.#ended.abort();
  }

  async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
    const name = nameIn(context.userMessage);
    this.names.push(name);
    this.tasks.set(context.taskId, name);
    const script = name.split(" ", 1)[0] as PeerScript;
    if (script === "Silent") return;
    if (script === "Throws") throw new Error("nothing could be begun");
    const teller = new Teller(context, bus);
    if (script === "Message") {
      bus.publish(AgentEvent.message(teller.message(`Told at once: ${name}`)));
      return;
    }
    if (script === "Terse") {
      teller.task(TaskState.TASK_STATE_COMPLETED, [artifactOf([textPart(answerFor(name))])]);
      return;
    }
    teller.task(TaskState.TASK_STATE_SUBMITTED, []);
    if (script === "Breaks") throw new Error("something broke in the middle");
    teller.status(TaskState.TASK_STATE_WORKING, "On it.");
    await this.#work(script, context.taskId);
    ENDINGS[script](teller, name);
  }

  cancelTask = (taskId: string): Promise<void> => {
    this.#canceled.add(taskId);
    return Promise.resolve();
  };

  /** Takes its time; never longer than until the peer stops. */
  async #work(script: PeerScript, taskId: string): Promise<void> {
    const { signal } = this.#ended;
    const pause = (ms: number): Promise<void> =>
      delay(ms, undefined, { signal }).catch(() => undefined);
    if (script === "Slow") await pause(SLOW_MS);
    if (script !== "Stubborn" && script !== "Obedient") return;
    const isTold = (): boolean => script === "Obedient" && this.#canceled.has(taskId);
    while (!signal.aborted && !isTold()) await pause(20);
  }
}

type Ending = (teller: Teller, name: string) => void;

const completedWith =
  (parts: (name: string) => readonly Part[]): Ending =>
  (teller, name) => {
    teller.artifact(parts(name));
    teller.status(TaskState.TASK_STATE_COMPLETED);
  };
const endedIn =
  (state: TaskState, text?: string): Ending =>
  (teller) =>
    teller.status(state, text);
const endedEarly: Ending = () => undefined;
const quickly = completedWith((name) => [textPart(answerFor(name))]);

const ENDINGS: Readonly<Record<PeerScript, Ending>> = {
  Quick: quickly,
  Slow: quickly,
  Terse: endedEarly,
  Message: endedEarly,
  Throws: endedEarly,
  Breaks: endedEarly,
  Silent: endedEarly,
  Early: endedEarly,
  Stubborn: endedEarly,
  Parts: completedWith((name) => allParts(name)),
  Huge: completedWith(() => [textPart("x".repeat(HUGE_CHARS))]),
  Chunks: (teller, name) => {
    teller.artifact([textPart(answerFor(name))], { append: false, lastChunk: false });
    teller.artifact([textPart("second piece")], { append: true, lastChunk: false });
    teller.artifact([textPart("third piece")], { append: true, lastChunk: true });
    teller.status(TaskState.TASK_STATE_COMPLETED);
  },
  Status: (teller, name) => teller.status(TaskState.TASK_STATE_COMPLETED, answerFor(name)),
  Wordless: endedIn(TaskState.TASK_STATE_COMPLETED),
  Input: endedIn(TaskState.TASK_STATE_INPUT_REQUIRED, "Which country?"),
  Auth: endedIn(TaskState.TASK_STATE_AUTH_REQUIRED, "Log in at https://idp.example/."),
  Failed: endedIn(TaskState.TASK_STATE_FAILED, "The backend said no."),
  Rejected: endedIn(TaskState.TASK_STATE_REJECTED, "Not my job."),
  Canceled: endedIn(TaskState.TASK_STATE_CANCELED, "Stopped by an admin."),
  Obedient: endedIn(TaskState.TASK_STATE_CANCELED, "Stopped as asked."),
  Unspecified: endedIn(TaskState.TASK_STATE_UNSPECIFIED),
};

/** Publishes the events of one task. */
class Teller {
  readonly #context: RequestContext;
  readonly #bus: ExecutionEventBus;

  constructor(context: RequestContext, bus: ExecutionEventBus) {
    this.#context = context;
    this.#bus = bus;
  }

  task(state: TaskState, artifacts: Task["artifacts"]): void {
    const { taskId: id, contextId, userMessage } = this.#context;
    const status = { state, message: undefined, timestamp: new Date().toISOString() };
    const history = [userMessage];
    this.#bus.publish(
      AgentEvent.task({ id, contextId, status, artifacts, history, metadata: undefined }),
    );
  }

  status(state: TaskState, text?: string): void {
    const message = text === undefined ? undefined : this.message(text);
    const status = { state, message, timestamp: new Date().toISOString() };
    this.#bus.publish(AgentEvent.statusUpdate({ ...this.#ids(), status }));
  }

  artifact(parts: readonly Part[], piece = { append: false, lastChunk: true }): void {
    const artifact = artifactOf(parts);
    this.#bus.publish(AgentEvent.artifactUpdate({ ...this.#ids(), ...piece, artifact }));
  }

  message(text: string): Message {
    return {
      ...this.#ids(),
      messageId: crypto.randomUUID(),
      role: Role.ROLE_AGENT,
      parts: [textPart(text)],
      extensions: [],
      referenceTaskIds: [],
    };
  }

  #ids(): { taskId: string; contextId: string; metadata: undefined } {
    const { taskId, contextId } = this.#context;
    return { taskId, contextId, metadata: undefined };
  }
}

/** What the text of a result is for a partner of this name. */
export function answerFor(name: string): string {
  return `Found ${name}`;
}

function artifactOf(parts: readonly Part[]): Task["artifacts"][number] {
  return {
    artifactId: "a-1",
    name: "Result",
    description: "",
    parts: [...parts],
    metadata: undefined,
    extensions: [],
  };
}

function textPart(value: string): Part {
  return partOf({ $case: "text", value }, { filename: "", mediaType: "text/plain" });
}

function allParts(name: string): readonly Part[] {
  const json = { filename: "", mediaType: "application/json" };
  return [
    textPart(answerFor(name)),
    partOf({ $case: "data", value: { a: 1, none: null, list: [] } }, json),
    partOf({ $case: "data", value: null }, json),
    partOf(
      { $case: "raw", value: Buffer.from([0, 255, 1]) },
      { filename: "b.bin", mediaType: "application/octet-stream" },
    ),
    partOf(
      { $case: "url", value: "https://files.example/x.pdf" },
      { filename: "x.pdf", mediaType: "" },
    ),
    textPart(""),
  ];
}

function partOf(
  content: NonNullable<Part["content"]>,
  labels: { readonly filename: string; readonly mediaType: string },
): Part {
  return { content, metadata: undefined, ...labels };
}

function nameIn({ parts }: Message): string {
  const text = parts
    .map(({ content }) => (content?.$case === "text" ? content.value : ""))
    .join(" ");
  return /Name: ([^,]+)/.exec(text)?.[1] ?? "";
}
