import { EventEmitter, once } from "node:events";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import type { AnswerFile } from "../../../src/runs/answer-file.ts";
import {
  createAnswerFile,
  ownAnswerFile,
  replayAnswers,
  replayLeftAnswers,
} from "../../../src/runs/answer-file.ts";
import type { PaidAnswer } from "../../../src/steps/step-deps.ts";
import { type PrivateRedis, startPrivateRedis } from "../../helpers/redis-for-tests.ts";
import { createTestRun, openTestRedis, testTask } from "../../helpers/run-for-tests.ts";
import { tempFile, tempFolder } from "../csv/temp-folder.ts";
import { type RecordedLog, recordLog, succeeded } from "./run-fixture.ts";

/** How long Redis may take before an answer goes to the disk. */
const PATIENCE_MS = 3_000;

const TASK: PaidAnswer = { kind: "task", entry: testTask(7) };
const OUTCOME: PaidAnswer = { kind: "outcome", outcome: succeeded(8), weight: 2 };

interface Setup extends RecordedLog {
  readonly file: string;
  readonly answers: AnswerFile;
}

async function setup(file?: string): Promise<Setup> {
  const place = file ?? path.join(await tempFolder(), "answers", "run-1.ndjson");
  const recorded = recordLog();
  return { ...recorded, file: place, answers: createAnswerFile(place, recorded.log) };
}

/** The process that runs this one. */
async function livingParent(): Promise<{ pid: number; startedAt: string }> {
  const text = await readFile(`/proc/${process.ppid}/stat`, "utf8");
  const startedAt = text.slice(text.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  return { pid: process.ppid, startedAt };
}

/** A write that Redis takes its time for. */
function slowStore(): { store: () => Promise<string>; end: (error?: Error) => void } {
  const ending = new EventEmitter();
  const stored = once(ending, "stored").then(() => "stored");
  return {
    store: () => stored,
    end: (error) => ending.emit(error === undefined ? "stored" : "error", error),
  };
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  );
}

async function answersIn(file: string): Promise<unknown[]> {
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  return lines.map((line): unknown => JSON.parse(line));
}

beforeAll(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});

afterEach(() => {
  vi.clearAllTimers();
});

afterAll(() => {
  vi.useRealTimers();
});

describe("an answer that Redis takes at once", () => {
  it("never touches the disk", async () => {
    const { answers, file } = await setup();
    expect(await answers.storeAnswer(TASK, async () => "stored")).toBe("stored");
    await vi.advanceTimersByTimeAsync(PATIENCE_MS * 2);
    await answers.close();
    expect(await exists(file)).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("an answer that Redis does not take within 3 s", () => {
  it("goes to the disk, for nobody else to read, and is told by its row alone", async () => {
    const { answers, file, events } = await setup();
    const { store, end } = slowStore();
    const storing = answers.storeAnswer(TASK, store);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS - 1);
    expect(events).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(events).toEqual([{ event: "answer.kept-on-disk", fields: { row: 7 } }]);
    // Ends the process's wait for the disk, not the answer's for Redis.
    await answers.close();
    expect(await answersIn(file)).toEqual([TASK]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700);
    end();
    await storing;
  });

  it("leaves the disk at the end when Redis took it after all", async () => {
    const { answers, file } = await setup();
    const { store, end } = slowStore();
    const storing = answers.storeAnswer(OUTCOME, store);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    end();
    expect(await storing).toBe("stored");
    await answers.close();
    expect(await exists(file)).toBe(false);
  });

  it("stays on the disk while any answer is not in Redis, in the order of keeping", async () => {
    const { answers, file } = await setup();
    const task = slowStore();
    const outcome = slowStore();
    const storing = [
      answers.storeAnswer(TASK, task.store),
      answers.storeAnswer(OUTCOME, outcome.store),
    ];
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    task.end();
    await storing[0];
    await answers.close();
    expect(await answersIn(file)).toEqual([TASK, OUTCOME]);
    outcome.end();
    await storing[1];
  });

  it("is told as not kept when the disk does not take it either", async () => {
    const blocked = await tempFile("a file where the folder should be");
    const { answers, events } = await setup(path.join(blocked, "answers", "run-1.ndjson"));
    const { store, end } = slowStore();
    const storing = answers.storeAnswer(TASK, store);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    await answers.close();
    expect(events.map(({ event }) => event)).toEqual(["answer.kept-on-disk", "answer.not-kept"]);
    end();
    await storing;
  });
});

describe("an answer that Redis refuses", () => {
  it("is offered again while Redis says that it will pass", async () => {
    const { answers } = await setup();
    let tries = 0;
    const stored = await answers.storeAnswer(TASK, async () => {
      tries += 1;
      if (tries === 1) throw new Error("LOADING Redis is loading the dataset in memory");
      return tries;
    });
    expect(stored).toBe(2);
  });

  it("goes to the disk when the connection is closed, since the process is ending", async () => {
    const { answers, file } = await setup();
    const closed = new Error("Connection is closed.");
    await expect(answers.storeAnswer(TASK, () => Promise.reject(closed))).rejects.toBe(closed);
    await answers.close();
    expect(await answersIn(file)).toEqual([TASK]);
  });

  it("goes there once, though it had waited before", async () => {
    const { answers, file } = await setup();
    const { store, end } = slowStore();
    const storing = answers.storeAnswer(TASK, store);
    await vi.advanceTimersByTimeAsync(PATIENCE_MS);
    end(new Error("Connection is closed."));
    await expect(storing).rejects.toThrow("Connection is closed.");
    await answers.close();
    expect(await answersIn(file)).toEqual([TASK]);
  });

  it("as a defect is passed on and not kept", async () => {
    const { answers, file } = await setup();
    const defect = new Error("ERR wrong number of arguments");
    await expect(answers.storeAnswer(TASK, () => Promise.reject(defect))).rejects.toBe(defect);
    await answers.close();
    expect(await exists(file)).toBe(false);
  });
});

describe("the next start", () => {
  let redis: PrivateRedis;

  beforeAll(async () => {
    vi.useRealTimers();
    redis = await startPrivateRedis();
  });

  afterAll(() => redis.stop());

  it("puts what an earlier process kept into Redis and removes the file", async () => {
    const { client } = await openTestRedis(redis.url);
    const run = await createTestRun(client, { total: 10 });
    const torn = '{"kind":"outcome","outc';
    const file = await tempFile([TASK, OUTCOME].map((one) => JSON.stringify(one)).join("\n"));
    await writeFile(file, `${await readFile(file, "utf8")}\n${torn}`);
    expect(await replayAnswers(file, run.ledger)).toBe(2);
    expect(await run.ledger.states([7, 8])).toEqual([
      { kind: "open", entry: testTask(7) },
      { kind: "done" },
    ]);
    expect(await run.progress()).toMatchObject({ open: 1, succeeded: 2, pending: 7 });
    expect(await exists(file)).toBe(false);
  });

  it("changes nothing about rows that Redis knows to be done", async () => {
    const { client } = await openTestRedis(redis.url);
    const run = await createTestRun(client, { total: 10 });
    await run.ledger.recordOutcome(succeeded(8, { text: "first" }), 2, "accepted");
    const before = await run.progress();
    const file = await tempFile(`${JSON.stringify(OUTCOME)}\n`);
    await replayAnswers(file, run.ledger);
    expect(await run.outcomes()).toEqual([succeeded(8, { text: "first" })]);
    expect((await run.progress()).succeeded).toBe(before.succeeded);
  });

  it("takes the files of processes that are gone, whoever has their id now, and of no other run", async () => {
    const { client } = await openTestRedis(redis.url);
    const run = await createTestRun(client, { total: 10 });
    const dir = await tempFolder();
    const left = await ownAnswerFile(dir, run.settings.runId);
    const [id, pid] = path.basename(left).split(".");
    const living = await livingParent();
    const names = {
      own: path.basename(left),
      "earlier, same id": `${id}.${pid}.1.ndjson`,
      living: `${id}.${living.pid}.${living.startedAt}.ndjson`,
      "another run's": `${id}-2.${pid}.1.ndjson`,
    };
    await mkdir(path.dirname(left));
    for (const name of Object.values(names)) {
      await writeFile(path.join(path.dirname(left), name), `${JSON.stringify(OUTCOME)}\n`);
    }
    await replayLeftAnswers(dir, run.settings.runId, run.ledger);
    expect((await readdir(path.dirname(left))).toSorted()).toEqual(
      [names.living, names["another run's"]].toSorted(),
    );
    expect((await run.progress()).succeeded).toBe(2);
  });

  it("has nothing to do when there is no file", async () => {
    const { client } = await openTestRedis(redis.url);
    const run = await createTestRun(client, { total: 1 });
    const file = path.join(await tempFolder(), "none.ndjson");
    expect(await replayAnswers(file, run.ledger)).toBe(0);
  });
});
