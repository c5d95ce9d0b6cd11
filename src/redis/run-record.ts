import type { FailureReason } from "../core/failure.ts";
import type { FailureLimit } from "../core/failure-limit.ts";
import { parseOwnJson } from "../core/own-json.ts";
import type { Progress, RunStatus, StatusReason } from "../core/progress.ts";
import { parseProgress, parseStatus } from "../core/progress.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { InputFacts } from "../core/summary.ts";
import type { RedisClient } from "./connect.ts";
import type { RunKeys } from "./keys.ts";
import { RUNS_KEY, runKeys } from "./keys.ts";
import { clientName } from "./process-identity.ts";
import type { Script } from "./script.ts";
import { loadScript } from "./script.ts";

/** What a run begins with, known from the first pass over its input. */
export interface RunBeginning {
  readonly total: number;
  readonly pending: number;
  readonly failedWhenRead: ReadonlyMap<FailureReason, number>;
  /** None unless given. */
  readonly limits?: RunLimits;
}

/** What ends the sending of a run before all is sent. */
export interface RunLimits {
  readonly maxFailures?: FailureLimit;
  /** ms since the epoch. */
  readonly sendUntilMs?: number;
}

/** What a process tells of itself when it shows that it works on a run. */
export interface Heartbeat {
  /** `answers`: it accepted a call of this process since its last heartbeat. */
  readonly agent: "answers" | "away" | "unknown";
}

/** How a run stands, as a heartbeat sees it. */
export interface RunPulse {
  /** Undefined when Redis has forgotten the run. */
  readonly status: RunStatus | undefined;
  readonly backlogBytes: number;
  /** Of `--max-open-tasks`. */
  readonly placesTaken: number;
  /** Whether an operator wants the open tasks to be canceled. */
  readonly isCanceled: boolean;
}

/** The host and folder that hold a run's journal. */
export interface OutputPlace {
  readonly host: string;
  readonly dir: string;
}

type ScriptName =
  | "openRun"
  | "beginRun"
  | "reopenRun"
  | "heartbeat"
  | "noteRefused"
  | "pauseRun"
  | "stopRun"
  | "settleRun";

/** One run as a whole: settings, status, counters. */
export class RunRecord {
  private readonly client: RedisClient;
  private readonly runId: string;
  private readonly keys: RunKeys;
  private readonly scripts: Readonly<Record<ScriptName, Script>>;

  constructor(client: RedisClient, runId: string) {
    this.client = client;
    this.runId = runId;
    this.keys = runKeys(runId);
    this.scripts = {
      openRun: loadScript(client, "open-run"),
      beginRun: loadScript(client, "begin-run"),
      reopenRun: loadScript(client, "reopen-run"),
      heartbeat: loadScript(client, "heartbeat"),
      noteRefused: loadScript(client, "note-refused"),
      pauseRun: loadScript(client, "pause-run"),
      stopRun: loadScript(client, "stop-run"),
      settleRun: loadScript(client, "settle-run"),
    };
  }

  /** Makes the run known, or gives the settings with which it was begun earlier. */
  async open(settings: RunSettings): Promise<RunSettings> {
    const { settings: key, progress, private: own } = this.keys;
    const startedAt = new Date(settings.startedAtMs).toISOString();
    const [stored = ""] = await this.scripts.openRun(
      [key, progress, own],
      [JSON.stringify(settings), settings.file, startedAt],
    );
    const agreed = parseOwnJson<RunSettings>(stored);
    await this.client.zadd(RUNS_KEY, agreed.startedAtMs, this.runId);
    return agreed;
  }

  /** Sets the total, once, before the first call; later calls change nothing. */
  async begin(beginning: RunBeginning): Promise<void> {
    const { progress, failures, private: own } = this.keys;
    await this.scripts.beginRun([progress, failures, own], beginningArgs(beginning));
  }

  /**
   * Makes a settled run one that goes on: its rows are pending until the journal tells of them.
   *
   * @returns false when the run is not settled
   */
  async reopen(beginning: RunBeginning): Promise<boolean> {
    const { progress, failures, private: own, ledger, places, settings } = this.keys;
    const keys = [progress, failures, own, ledger, places, settings];
    const [reopened] = await this.scripts.reopenRun(keys, beginningArgs(beginning));
    return reopened === "1";
  }

  /** Undefined when Redis does not know the run. */
  async progress(): Promise<Progress | undefined> {
    return parseProgress(await this.client.hgetall(this.keys.progress));
  }

  /** Failure reason -> rows. */
  async failures(): Promise<Record<string, number>> {
    const counts = Object.entries(await this.client.hgetall(this.keys.failures));
    return Object.fromEntries(counts.map(([reason, count]) => [reason, Number(count)]));
  }

  async countCall(field: "getTaskCalls" | "cancelTaskCalls" | "rateLimited"): Promise<void> {
    await this.client.hincrby(this.keys.progress, field, 1);
  }

  /** Shows that this process works on the run. */
  async heartbeat({ agent }: Heartbeat): Promise<RunPulse> {
    const { progress, private: own, places } = this.keys;
    const [status = "", backlog, taken, reason] = await this.scripts.heartbeat(
      [progress, own, places],
      [agent, clientName()],
    );
    return {
      status: parseStatus(status),
      backlogBytes: Number(backlog),
      placesTaken: Number(taken),
      isCanceled: status === "stopping" && reason === "operator",
    };
  }

  /** Notes that the agent refused this process's credentials. */
  async noteRefused(): Promise<void> {
    await this.scripts.noteRefused([this.keys.progress, this.keys.private], [clientName()]);
  }

  async setReason(reason: StatusReason): Promise<void> {
    await this.client.hset(this.keys.progress, "statusReason", reason);
  }

  /**
   * Lets no new send begin; open tasks are still followed, or canceled for an `operator`.
   *
   * @returns the status before; undefined when Redis does not know the run
   */
  async stop(reason: StatusReason): Promise<RunStatus | undefined> {
    const [before = ""] = await this.scripts.stopRun([this.keys.progress], [reason]);
    return parseStatus(before);
  }

  /** Holds sends back, or lets them go on. @returns the status before */
  async setPaused(order: "pause" | "resume"): Promise<RunStatus | undefined> {
    const { progress, private: own } = this.keys;
    const [before = ""] = await this.scripts.pauseRun([progress, own], [order]);
    return parseStatus(before);
  }

  /**
   * Ends the run when nothing is left to do.
   *
   * @returns its status when it has ended
   */
  async settle(noSendInFlight: boolean): Promise<RunStatus | undefined> {
    const { progress, results } = this.keys;
    const [ended = ""] = await this.scripts.settleRun(
      [progress, results],
      [noSendInFlight ? "1" : "0"],
    );
    return parseStatus(ended);
  }

  /** Records where the run's outputs are; the first that asks wins. */
  async claimOutput(place: OutputPlace): Promise<OutputPlace> {
    await this.client.hsetnx(this.keys.private, "output", JSON.stringify(place));
    return (await this.outputPlace()) ?? place;
  }

  /** Undefined before anybody has claimed it. */
  async outputPlace(): Promise<OutputPlace | undefined> {
    return this.readPrivate<OutputPlace>("output");
  }

  /** Keeps what was found about the input, for those who only see Redis. */
  async setInputFacts(facts: InputFacts): Promise<void> {
    await this.client.hset(this.keys.private, "input", JSON.stringify(facts));
  }

  inputFacts(): Promise<InputFacts | undefined> {
    return this.readPrivate<InputFacts>("input");
  }

  private async readPrivate<T>(field: string): Promise<T | undefined> {
    const stored = await this.client.hget(this.keys.private, field);
    return stored === null ? undefined : parseOwnJson<T>(stored);
  }

  /** Whether `expire` has still to be called once the run has settled. */
  async hasRowData(): Promise<boolean> {
    return (await this.client.exists(this.keys.ledger)) > 0;
  }

  /** Removes the row data at once and lets the rest go after the retention time. */
  async expire(retentionMs: number): Promise<void> {
    const { ledger, results, places, progress, failures, settings, private: own } = this.keys;
    await this.client.unlink(ledger, results, places);
    for (const key of [progress, failures, settings, own]) {
      await this.client.pexpire(key, retentionMs);
    }
  }
}

function beginningArgs({
  total,
  pending,
  failedWhenRead,
  limits,
}: RunBeginning): (string | number)[] {
  const { maxFailures, sendUntilMs } = limits ?? {};
  return [
    total,
    pending,
    total - pending,
    maxFailures?.kind === "rows" ? maxFailures.rows : "",
    maxFailures?.kind === "percent" ? maxFailures.percent : "",
    sendUntilMs ?? "",
    ...[...failedWhenRead].flat(),
  ];
}
