import type { RowOutcome } from "../core/outcome.ts";
import { parseOwnJson } from "../core/own-json.ts";
import { encodeOutcome } from "../core/task-outcome.ts";
import type { RedisClient } from "./connect.ts";
import type { RunKeys } from "./keys.ts";
import { runKeys } from "./keys.ts";
import type { Script } from "./script.ts";
import { loadScript } from "./script.ts";

/** An open task of a row, as the ledger keeps it: all that is needed to follow it. */
export interface TaskEntry {
  readonly row: number;
  /** Rows that this task answers: the row itself and its duplicates. */
  readonly weight: number;
  readonly taskId: string;
  readonly contextId: string;
  /** SendMessage calls made so far. */
  readonly attempts: number;
  readonly submittedAtMs: number;
  /** 1 when the agent had lost an earlier task of the row. */
  readonly tryGroup: number;
}

/** A row that wants to be sent, with the proof that this process still owns its job. */
export interface SendIntent {
  readonly row: number;
  readonly tryGroup: number;
  readonly lockKey: string;
  readonly token: string;
}

export type SendLeave =
  | { readonly kind: "go"; readonly first: boolean }
  /** Another process has the job by now. */
  | { readonly kind: "lost" }
  | { readonly kind: "done" }
  | { readonly kind: "task"; readonly entry: TaskEntry }
  /** Not now: paused, too much uncollected, or all places taken. */
  | { readonly kind: "hold" }
  /** The run begins no send any more. */
  | { readonly kind: "stopped" };

/** How an outcome tells on the question whether the agent refuses everything. */
export type Reception = "accepted" | "refused" | "";

/** What a journal says about a row, to be marked again in a Redis that may have forgotten it. */
export interface KnownOutcome {
  readonly row: number;
  readonly weight: number;
  readonly outcome: RowOutcome;
}

/** What the ledger holds of a row. */
export type LedgerState =
  | { readonly kind: "unsent" }
  /** A send was begun; its answer is not known. */
  | { readonly kind: "intent"; readonly tryGroup: number }
  | { readonly kind: "open"; readonly entry: TaskEntry }
  | { readonly kind: "done" };

/** Bounds that sends of a run keep to. */
export interface SendBounds {
  readonly maxOpenTasks?: number;
  readonly backlogBytes: number;
}

const COUNTED_AS = {
  succeeded: "succeeded",
  failed: "failed",
  "needs-input": "needsInput",
} as const satisfies Record<RowOutcome["kind"], string>;

/** What is known of each row of a run: sent, open, done. Each change moves the counters with it. */
export class Ledger {
  private readonly client: RedisClient;
  private readonly keys: RunKeys;
  private readonly bounds: SendBounds;
  private readonly scripts: Readonly<
    Record<"beginSend" | "undoSend" | "recordTask" | "dropTask" | "recordOutcome", Script>
  >;

  constructor(client: RedisClient, runId: string, bounds: SendBounds) {
    this.client = client;
    this.keys = runKeys(runId);
    this.bounds = bounds;
    this.scripts = {
      beginSend: loadScript(client, "begin-send"),
      undoSend: loadScript(client, "undo-send"),
      recordTask: loadScript(client, "record-task"),
      dropTask: loadScript(client, "drop-task"),
      recordOutcome: loadScript(client, "record-outcome"),
    };
  }

  /** Asks leave for one SendMessage and notes the intent before anything is written to the agent. */
  async beginSend({ row, tryGroup, lockKey, token }: SendIntent): Promise<SendLeave> {
    const { ledger, progress, private: own, places } = this.keys;
    const { maxOpenTasks = 0, backlogBytes } = this.bounds;
    const [kind = "", detail = ""] = await this.scripts.beginSend(
      [ledger, progress, own, places, lockKey],
      [token, row, tryGroup, maxOpenTasks, backlogBytes],
    );
    switch (kind) {
      case "go":
        return { kind, first: detail === "first" };
      case "task":
        return { kind, entry: parseOwnJson(detail) };
      case "lost":
      case "done":
      case "hold":
      case "stopped":
        return { kind };
      default:
        throw new Error(`begin-send gave ${kind}`);
    }
  }

  /** Takes back a send that was never written to the agent. */
  async undoSend(row: number, first: boolean): Promise<void> {
    const { ledger, progress } = this.keys;
    await this.scripts.undoSend([ledger, progress], [row, first ? "1" : "0"]);
  }

  /** Keeps a row's task; gives the task kept before when there was one, undefined when the row is done. */
  async recordTask(entry: TaskEntry): Promise<TaskEntry | undefined> {
    const { ledger, progress, private: own } = this.keys;
    const [kind, earlier = ""] = await this.scripts.recordTask(
      [ledger, progress, own],
      [entry.row, JSON.stringify(entry), entry.weight],
    );
    if (kind === "kept") return entry;
    return kind === "task" ? parseOwnJson<TaskEntry>(earlier) : undefined;
  }

  /** Forgets a task that the agent has lost; false when the row has another one or none. */
  async dropTask({ row, weight, tryGroup, taskId }: TaskEntry): Promise<boolean> {
    const { ledger, progress } = this.keys;
    const [dropped] = await this.scripts.dropTask(
      [ledger, progress],
      [row, weight, tryGroup + 1, taskId],
    );
    return dropped === "1";
  }

  /**
   * Records how a row ended; a second outcome changes nothing.
   *
   * @returns how many rows were refused while none was accepted; 0 when one was
   */
  async recordOutcome(outcome: RowOutcome, weight: number, reception: Reception): Promise<number> {
    const encoded = encodeOutcome(outcome);
    const known = { row: outcome.row, weight, outcome: encoded.outcome };
    const [, refused] = await this.record(known, encoded.json, reception);
    return Number(refused);
  }

  /** Marks rows as done whose outcomes a journal has. */
  async restoreOutcomes(known: readonly KnownOutcome[]): Promise<void> {
    await Promise.all(known.map((one) => this.record(one, "", "")));
  }

  /** Notes that rows are to be sent once more, as a message of a new try group. */
  async reopenRows(
    rows: readonly { readonly row: number; readonly tryGroup: number }[],
  ): Promise<void> {
    // One that has been sent since, or is done, is left as it is.
    await Promise.all(
      rows.map(({ row, tryGroup }) =>
        this.client.hsetnx(this.keys.ledger, String(row), `s${tryGroup}`),
      ),
    );
  }

  private record(
    { row, weight, outcome }: KnownOutcome,
    json: string,
    reception: Reception,
  ): Promise<readonly string[]> {
    const { ledger, progress, failures, results, private: own, places } = this.keys;
    const reason = outcome.kind === "failed" ? outcome.reason : "";
    const { attempts, polls } = outcome;
    const kind = COUNTED_AS[outcome.kind];
    const isReused = outcome.kind === "succeeded" && outcome.reusedFrom !== undefined ? 1 : 0;
    return this.scripts.recordOutcome(
      [ledger, progress, failures, results, own, places],
      [row, weight, kind, reason, json, reception, attempts, polls, isReused],
    );
  }

  /** Whether more of outcomes waits for the journal than may. */
  async isBacklogFull(): Promise<boolean> {
    const stored = await this.client.hget(this.keys.private, "backlogBytes");
    return Number(stored ?? 0) > this.bounds.backlogBytes;
  }

  /** The states of rows, in their order. */
  async states(rows: readonly number[]): Promise<LedgerState[]> {
    if (rows.length === 0) return [];
    const stored = await this.client.hmget(this.keys.ledger, ...rows.map(String));
    return stored.map(parseState);
  }
}

function parseState(stored: string | null): LedgerState {
  if (stored === null) return { kind: "unsent" };
  if (stored === "d") return { kind: "done" };
  return stored.startsWith("t")
    ? { kind: "open", entry: parseOwnJson(stored.slice(1)) }
    : { kind: "intent", tryGroup: Number(stored.slice(1)) };
}
