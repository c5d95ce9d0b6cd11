import type { SandboxTask } from "./task.ts";
import { computeStatus } from "./task.ts";

/** What is known of a messageId. */
export interface MessageRecord {
  readonly messageId: string;
  sendCount: number;
  /** What the message led to; `none` until a send was let through. */
  outcome: { kind: "none" } | { kind: "message" } | { kind: "task"; task: SandboxTask };
}

/** How many tasks were made, and in which states (without prefix) they ended. */
export interface TaskCounts {
  readonly tasks: number;
  readonly open: number;
  readonly lost: number;
  readonly ends: Readonly<Record<string, number>>;
}

// More than one, so that the store shrinks again after a time in which nothing was delivered.
const LOOKS_PER_TASK = 2;

function shortState(state: string): string {
  return state === "" ? "NONE" : state.replace(/^TASK_STATE_/, "");
}

function countEnd(ends: Record<string, number>, state: string): void {
  const name = shortState(state);
  ends[name] = (ends[name] ?? 0) + 1;
}

/**
 * Tasks and messageIds in memory. Above `maxTasks`, each new task pushes out the oldest ones whose end was
 * delivered, so that a million tasks fit; a task whose end nobody asked for is kept.
 */
export class TaskStore {
  readonly #tasks = new Map<string, SandboxTask>();
  // One iterator for all looks: a new one would wade through the gaps of all that was deleted before.
  #oldest = this.#tasks.values();
  readonly #messages = new Map<string, MessageRecord>();
  readonly #evictedEnds: Record<string, number> = {};
  readonly #maxTasks: number;
  #madeCount = 0;
  #lostCount = 0;

  constructor(maxTasks: number) {
    this.#maxTasks = maxTasks;
  }

  /** The record of a messageId, made when there is none. */
  message(messageId: string): MessageRecord {
    const known = this.#messages.get(messageId);
    if (known !== undefined) {
      return known;
    }
    const record: MessageRecord = { messageId, sendCount: 0, outcome: { kind: "none" } };
    this.#messages.set(messageId, record);
    return record;
  }

  find(taskId: string): SandboxTask | undefined {
    return this.#tasks.get(taskId);
  }

  add(task: SandboxTask): void {
    this.#madeCount += 1;
    this.#tasks.set(task.id, task);
    this.message(task.messageId).outcome = { kind: "task", task };
    for (let looks = 0; looks < LOOKS_PER_TASK && this.#tasks.size > this.#maxTasks; looks += 1) {
      this.#evictOldest();
    }
  }

  /** Forgets a task as if it had never been: a repeat of its message makes a new one. */
  lose(task: SandboxTask): void {
    this.#lostCount += 1;
    this.#tasks.delete(task.id);
    const { outcome } = this.message(task.messageId);
    if (outcome.kind === "task" && outcome.task === task) {
      this.message(task.messageId).outcome = { kind: "none" };
    }
  }

  counts(nowMs: number): TaskCounts {
    const ends = { ...this.#evictedEnds };
    let open = 0;
    for (const task of this.#tasks.values()) {
      const status = computeStatus(task, nowMs);
      if (status.phase === "open") {
        open += 1;
      } else {
        countEnd(ends, status.state);
      }
    }
    return { tasks: this.#madeCount, open, lost: this.#lostCount, ends };
  }

  /** Looks at the oldest; one that must stay goes to the back, so that it cannot dam up the others. */
  #evictOldest(): void {
    const next = this.#oldest.next();
    if (next.done === true) {
      this.#oldest = this.#tasks.values();
      return;
    }
    const task = next.value;
    this.#tasks.delete(task.id);
    if (task.delivered) {
      countEnd(this.#evictedEnds, computeStatus(task, Date.now()).state);
      this.#messages.delete(task.messageId);
    } else {
      this.#tasks.set(task.id, task);
    }
  }
}
