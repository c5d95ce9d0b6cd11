import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunSummaryFile } from "../../src/core/summary.ts";
import type { CliEnd } from "../helpers/cli-process.ts";
import {
  MIXED_AGENT,
  MIXED_HEADERS,
  mixedCsv,
  ownCells,
  withoutChance,
} from "../helpers/mixed-partners.ts";
import type { ProgressWatch } from "../helpers/progress-watch.ts";
import { identityOf } from "../helpers/progress-watch.ts";
import type { RunOutputs } from "../helpers/run-outputs.ts";
import { readOutputs, rowNumbers } from "../helpers/run-outputs.ts";
import type { SharedStage, StageAgent } from "../helpers/stage.ts";
import { openSharedStage } from "../helpers/stage.ts";

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DAY_MS = 86_400_000;

describe("a run with rows of every kind", () => {
  let stage: SharedStage;
  let agent: StageAgent;
  let watch: ProgressWatch;
  let end: CliEnd;
  let outputs: RunOutputs;

  beforeAll(async () => {
    stage = await openSharedStage();
    agent = await stage.agent({ ...MIXED_AGENT, results: "bare", taskResults: "bare" });
    watch = stage.watch();
    const file = await stage.write("partners.csv", mixedCsv(stage.runId));
    end = await stage.run("run", file, "--rate", "50", "--json");
    outputs = await readOutputs(stage.outDir);
  });
  afterAll(() => stage.close());

  test("exits 3, every row in one file, in input order, its cells as they were", () => {
    expect(end.exitCode, end.stderr).toBe(3);
    const { results, failures, needsInput } = outputs;
    expect(rowNumbers(results.rows)).toEqual([1, 2, 3, 8]);
    expect(rowNumbers(failures.rows)).toEqual([4, 5, 7]);
    expect(rowNumbers(needsInput.rows)).toEqual([6]);
    expect(ownCells(results)).toEqual([
      ["A-1", "Boehringer Ingelheim GmbH", "DE", "Bieberach", "first, with comma"],
      ["A-2", "Nestlé S.A.", "CH", "Vevey", 'says "hello"'],
      ["A-3", "Boehringer Ingelheim GmbH", "DE", "Bieberach", "=SUM(A1:A2)"],
      ["A-8", "Direct GmbH", "AT", "Wien", stage.runId],
    ]);
    expect(ownCells(failures)).toEqual([
      ["A-4", "", "FR", "Paris", "without a name"],
      ["A-5", "Fails AG", "DE", "Bonn", ""],
      ["A-7", "Refused AG", "DE", "Bonn", "  blanks around  "],
    ]);
    expect(ownCells(needsInput)).toEqual([["A-6", "Asks AG", "DE", "Bonn", "two\nlines"]]);
  });

  test("tells the line on which each record begins", () => {
    const { results, failures, needsInput } = outputs;
    const lines = [results, failures, needsInput]
      .flatMap(({ rows }) => rows)
      .map((row) => [Number(row["onboard_row"]), Number(row["onboard_line"])]);
    const expected = { 1: 2, 2: 3, 3: 4, 4: 5, 5: 6, 6: 7, 7: 9, 8: 10 };
    expect(Object.fromEntries(lines)).toEqual(expected);
  });

  test("names the columns as documented, in UTF-8 with commas and line feeds", () => {
    for (const name of ["results", "failures", "needsInput"] as const) {
      const { header, text } = outputs[name];
      expect(header, name).toEqual(MIXED_HEADERS[name]);
      expect(text.startsWith(`${MIXED_HEADERS[name].join(",")}\n`), name).toBe(true);
      expect(text.endsWith("\n") && !text.endsWith("\n\n"), name).toBe(true);
      expect(text.includes("\r"), name).toBe(false);
    }
    expect(outputs.results.text).toContain('\nA-2,Nestlé S.A.,CH,Vevey,"says ""hello""",');
    expect(outputs.needsInput.text).toContain('\nA-6,Asks AG,DE,Bonn,"two\nlines",');
  });

  test("tells the agent's answer, for a duplicate the one of its first row", () => {
    const [first, second, duplicate, direct] = outputs.results.rows;
    expect(first).toMatchObject({
      onboard_run_id: outputs.runId,
      onboard_attempts: "1",
      onboard_duplicate_of: "",
      onboard_source: "artifact",
      onboard_artifact_name: "Onboarding data",
      onboard_text:
        "Boehringer Ingelheim GmbH, Birkendorfer Str. 65, 88397 Biberach an der Riss, DE.",
      onboard_data: "",
      onboard_files: "[]",
    });
    expect(second?.["onboard_text"]).toBe("Nestlé S.A., Avenue Nestlé 55, 1800 Vevey, CH.");
    expect(Number(first?.["onboard_polls"])).toBeGreaterThanOrEqual(1);
    expect(first?.["onboard_submitted_at"]).toMatch(ISO);
    expect(first?.["onboard_finished_at"]).toMatch(ISO);
    const { onboard_submitted_at: from = "", onboard_finished_at: to = "" } = first ?? {};
    expect(to > from, `${from} to ${to}`).toBe(true);
    expect(duplicate).toMatchObject({
      onboard_duplicate_of: "1",
      onboard_task_id: first?.["onboard_task_id"],
      onboard_text: first?.["onboard_text"],
    });
    expect(direct).toMatchObject({
      onboard_task_id: "",
      onboard_source: "message",
      onboard_text: "Known without a task.",
    });
  });

  test("tells why a row failed, and what the agent wants to know", () => {
    const [unnamed, failed, refused] = outputs.failures.rows;
    expect(unnamed).toMatchObject({
      onboard_stage: "read",
      onboard_reason: "NAME_MISSING",
      onboard_code: "",
      onboard_retryable: "false",
      onboard_task_id: "",
      onboard_raw: "A-4,,FR,Paris,without a name",
    });
    expect(failed).toMatchObject({
      onboard_stage: "track",
      onboard_reason: "TASK_FAILED",
      onboard_message: "The registry is closed.",
      onboard_retryable: "true",
      onboard_attempts: "1",
      onboard_raw: "",
    });
    expect(failed?.["onboard_task_id"]).not.toBe("");
    expect(refused).toMatchObject({
      onboard_stage: "submit",
      onboard_reason: "AGENT_REFUSED",
      onboard_code: "-32602",
      onboard_message: "Not a partner.",
      onboard_retryable: "false",
      onboard_task_id: "",
      onboard_attempts: "1",
    });
    const [asks] = outputs.needsInput.rows;
    expect(asks?.["onboard_question"]).toContain("Several companies are called Asks AG");
    expect(asks?.["onboard_answer"]).toBe("");
    expect(asks?.["onboard_context_id"]).not.toBe("");
  });

  test("sends each message once: none for a duplicate or a row without a name", () => {
    expect(agent.stats()).toMatchObject({
      calls: { SendMessage: 6, card: 1 },
      tasks: 4,
      directMessages: 1,
      repeatedMessageIds: 0,
    });
  });

  test("is summed up in summary.json", () => {
    const { summary, runId } = outputs;
    const { calls } = agent.stats();
    expect(summary).toMatchObject({
      schemaVersion: 1,
      runId,
      status: "completed",
      statusReason: "",
      input: { file: "partners.csv", rows: 8, delimiter: ",", skipped: [] },
      rows: {
        total: 8,
        pending: 0,
        open: 0,
        succeeded: 4,
        failed: 3,
        needsInput: 1,
        unprocessed: 0,
      },
      failuresByReason: { NAME_MISSING: 1, TASK_FAILED: 1, AGENT_REFUSED: 1 },
      calls: {
        sendMessage: 6,
        getTask: calls.GetTask,
        cancelTask: 0,
        retries: 0,
        rateLimited: 0,
      },
    });
    expect(Object.keys(summary)).toEqual(
      words(`schemaVersion runId status statusReason input rows
        reused failuresByReason calls startedAt updatedAt finishedAt files`),
    );
    expect(summary.input.encoding).toMatch(/^utf-?8/i);
    expect(summary.input.sha256).toMatch(/^[0-9a-f]{64}$/);
    const times = [summary.startedAt, summary.updatedAt, summary.finishedAt];
    for (const at of times) expect(at).toMatch(ISO);
  });

  test("leaves the files it names and no others", () => {
    const { names, summary, dir } = outputs;
    const shown = "failures.csv needs-input.csv report.html results.csv summary.json".split(" ");
    expect(names).toEqual(["input", "journal.ndjson", ...shown].toSorted());
    expect(summary.files).toEqual(expect.arrayContaining(shown));
    for (const name of summary.files) expect(existsSync(path.join(dir, name)), name).toBe(true);
  });

  test("keeps a copy of the input and a journal of every answer that was paid for", async () => {
    const { dir } = outputs;
    expect(await readFile(path.join(dir, "input"), "utf8")).toBe(mixedCsv(stage.runId));
    const journal = await readFile(path.join(dir, "journal.ndjson"), "utf8");
    const [head, ...outcomes] = journal
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string });
    expect(head?.type).toBe("run");
    expect(outcomes.map(({ type }) => type)).toEqual(Array.from({ length: 6 }, () => "outcome"));
  });

  test("prints exactly summary.json on stdout with --json", async () => {
    expect(JSON.parse(end.stdout) as RunSummaryFile).toEqual(outputs.summary);
    expect(end.stdout).toBe(await readFile(path.join(outputs.dir, "summary.json"), "utf8"));
  });

  test("shows the documented hash in Redis while it goes on", () => {
    const during = watch.readings.find(({ status, open }) => status === "running" && open !== "0");
    expect(Object.keys(during ?? {}).toSorted()).toEqual(
      words(`schemaVersion status statusReason file total pending open succeeded failed
        needsInput unprocessed reused sendMessageCalls getTaskCalls cancelTaskCalls retries
        rateLimited startedAt updatedAt finishedAt heartbeatAt`).toSorted(),
    );
    expect(during).toMatchObject({
      schemaVersion: "1",
      statusReason: "",
      file: "partners.csv",
      total: "8",
      finishedAt: "",
    });
    for (const name of ["startedAt", "updatedAt", "heartbeatAt"]) {
      expect(during?.[name], name).toMatch(ISO);
    }
    for (const reading of watch.readings.filter(({ status }) => status !== "ingesting")) {
      expect(identityOf(reading)).toEqual({ total: 8, parts: 8 });
    }
  });

  test("leaves its counts, its reasons and its place among the runs in Redis", async () => {
    const { summary, runId } = outputs;
    expect(await stage.redis.hgetall(`onboard-batch:{${runId}}:progress`)).toMatchObject({
      status: "completed",
      total: "8",
      pending: "0",
      open: "0",
      succeeded: "4",
      failed: "3",
      needsInput: "1",
      unprocessed: "0",
      sendMessageCalls: "6",
      getTaskCalls: String(summary.calls.getTask),
      startedAt: summary.startedAt,
      finishedAt: summary.finishedAt,
    });
    expect(await stage.redis.hgetall(`onboard-batch:{${runId}}:failures`)).toEqual({
      NAME_MISSING: "1",
      TASK_FAILED: "1",
      AGENT_REFUSED: "1",
    });
    expect(Number(await stage.redis.zscore("onboard-batch:runs", runId))).toBe(
      Date.parse(summary.startedAt),
    );
  });

  test("expires in Redis after the retention time, its row data at once", async () => {
    const prefix = `onboard-batch:{${outputs.runId}}`;
    const keys = await stage.redis.keys(`${prefix}:*`);
    expect(keys).toContain(`${prefix}:progress`);
    for (const key of keys) {
      const leftMs = await stage.redis.pttl(key);
      expect(leftMs, key).toBeGreaterThan(13 * DAY_MS);
      expect(leftMs, key).toBeLessThanOrEqual(14 * DAY_MS);
      // Hashes and texts about the run as a whole; streams, sets and lists would be about rows.
      expect(["hash", "string"], key).toContain(await stage.redis.type(key));
    }
    expect(keys.filter((key) => /:(submit|track|ledger|results|places)\b/.test(key))).toEqual([]);
  });

  test("ends alike whichever way the agent wraps its results", async () => {
    await stage.agent({
      ...MIXED_AGENT,
      results: "wrapped",
      taskResults: "wrapped",
      style: "java",
    });
    stage.setEnv({ ONBOARD_BATCH_OUT: "wrapped", ONBOARD_BATCH_RUN_ID: `${stage.runId}-wrapped` });
    const wrappedEnd = await stage.run("run", path.join(stage.dir, "partners.csv"));
    expect(wrappedEnd.exitCode, wrappedEnd.stderr).toBe(3);
    const wrapped = await readOutputs(path.join(stage.dir, "wrapped"));
    for (const name of ["results", "failures", "needsInput"] as const) {
      expect(withoutChance(wrapped[name]), name).toEqual(withoutChance(outputs[name]));
    }
    expect(wrappedEnd.stdout).toBe("");
    expect(wrappedEnd.stderr).toContain(path.join(wrapped.dir, "results.csv"));
    expect(wrappedEnd.stderr).toContain(
      `onboard-batch run ${path.join(wrapped.dir, "failures.csv")}`,
    );
  });

  test("gives a failures file that is the input of a next run", async () => {
    const friendly = await stage.agent({ duration: { kind: "fixed", ms: 0 } });
    stage.setEnv({ ONBOARD_BATCH_OUT: "second", ONBOARD_BATCH_RUN_ID: `${stage.runId}-second` });
    const secondEnd = await stage.run("run", path.join(outputs.dir, "failures.csv"));
    expect(secondEnd.exitCode, secondEnd.stderr).toBe(3);
    const second = await readOutputs(path.join(stage.dir, "second"));
    expect(second.results.header).toEqual(MIXED_HEADERS.results);
    expect(second.failures.header).toEqual(MIXED_HEADERS.failures);
    expect(ownCells(second.results)).toEqual([
      ["A-5", "Fails AG", "DE", "Bonn", ""],
      ["A-7", "Refused AG", "DE", "Bonn", "  blanks around  "],
    ]);
    expect(ownCells(second.failures)).toEqual([["A-4", "", "FR", "Paris", "without a name"]]);
    expect(friendly.stats().calls.SendMessage).toBe(2);
  });
});

function words(text: string): string[] {
  return text.split(/\s+/);
}
