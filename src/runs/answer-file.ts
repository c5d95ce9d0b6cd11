import { existsSync } from "node:fs";
import { mkdir, open, readdir, readFile, rm } from "node:fs/promises";
import { hostname } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorText } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { parseOwnJson } from "../core/own-json.ts";
import { isRedisOutage } from "../core/redis-outage.ts";
import type { Ledger } from "../redis/ledger.ts";
import type { ProcessIdentity } from "../redis/process-identity.ts";
import { isSameAlive, ownIdentity } from "../redis/process-identity.ts";
import type { PaidAnswer, StoreAnswer } from "../steps/step-deps.ts";

/** Answers that were paid for while Redis was away; the next start on this host reads them. */
export interface AnswerFile {
  readonly storeAnswer: StoreAnswer;
  /** Removes the file when Redis has every answer of it by now. */
  close(): Promise<void>;
}

const PATIENCE_MS = 3_000;
const RETRY_MS = 500;

/** @param file one a process and run, in this host's state folder */
export function createAnswerFile(file: string, log: Log): AnswerFile {
  /** On disk and not yet in Redis. */
  const keptAnswers = new Set<PaidAnswer>();
  let hasFile = false;
  let writing = Promise.resolve();

  function keep(answer: PaidAnswer): void {
    keptAnswers.add(answer);
    hasFile = true;
    log.warn("answer.kept-on-disk", {
      row: answer.kind === "task" ? answer.entry.row : answer.outcome.row,
    });
    writing = writing
      .then(() => append(file, answer))
      .catch((error: unknown) => {
        log.error("answer.not-kept", { error: errorText(error) });
      });
  }

  return {
    async storeAnswer(answer, store) {
      const timer = setTimeout(() => keep(answer), PATIENCE_MS);
      try {
        const result = await storeWhenPossible(store);
        keptAnswers.delete(answer);
        return result;
      } catch (error) {
        // The connection was closed at the end of the process: the next one has to store it.
        if (isRedisOutage(error) && !keptAnswers.has(answer)) keep(answer);
        throw error;
      } finally {
        clearTimeout(timer);
      }
    },
    async close() {
      await writing;
      if (hasFile && keptAnswers.size === 0) await rm(file, { force: true });
    },
  };
}

/** Repeats a write that Redis cannot take now: repeating the call to the agent instead would pay again. */
async function storeWhenPossible<T>(store: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!isRedisOutage(error) || errorText(error).includes("Connection is closed")) throw error;
      await delay(RETRY_MS);
    }
  }
}

async function append(file: string, answer: PaidAnswer): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const handle = await open(file, "a", 0o600);
  try {
    await handle.appendFile(`${JSON.stringify(answer)}\n`);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The file of this process for a run, in this host's state folder. */
export async function ownAnswerFile(stateDir: string, runId: string): Promise<string> {
  const { pid, startedAt } = await ownIdentity();
  return path.join(stateDir, "answers", `${runId}.${pid}.${startedAt}.ndjson`);
}

/** Puts what processes that are gone have left of a run into Redis. */
export async function replayLeftAnswers(
  stateDir: string,
  runId: string,
  ledger: Ledger,
): Promise<void> {
  const dir = path.join(stateDir, "answers");
  const names = existsSync(dir) ? await readdir(dir) : [];
  const own = await ownIdentity();
  for (const name of names) {
    const writer = writerOf(name, runId);
    // What this process kept in an earlier session of the run is left, too.
    const isOwn = writer?.pid === own.pid && writer.startedAt === own.startedAt;
    const isLeft = writer !== undefined && (isOwn || !(await isSameAlive(writer)));
    if (isLeft) await replayAnswers(path.join(dir, name), ledger);
  }
}

/** Undefined for a file of another run. */
function writerOf(name: string, runId: string): ProcessIdentity | undefined {
  const [id, pid = "", startedAt = "", ending, ...rest] = name.split(".");
  const isOfRun = id === runId && ending === "ndjson" && rest.length === 0 && /^\d+$/.test(pid);
  return isOfRun ? { host: hostname(), pid: Number(pid), startedAt } : undefined;
}

/** Puts the answers of an earlier process into Redis, where they are not known yet, and removes the file. */
export async function replayAnswers(file: string, ledger: Ledger): Promise<number> {
  if (!existsSync(file)) return 0;
  const lines = (await readFile(file, "utf8")).split("\n");
  let replayed = 0;
  for (const line of lines) {
    const answer = parseAnswer(line);
    if (answer === undefined) continue;
    replayed += 1;
    if (answer.kind === "task") await ledger.recordTask(answer.entry);
    else await ledger.recordOutcome(answer.outcome, answer.weight, "");
  }
  await rm(file, { force: true });
  return replayed;
}

function parseAnswer(line: string): PaidAnswer | undefined {
  try {
    // Only this program writes the file; a torn last line is no answer.
    return parseOwnJson<PaidAnswer>(line);
  } catch {
    return undefined;
  }
}
