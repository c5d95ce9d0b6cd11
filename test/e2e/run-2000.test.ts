import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SandboxStats } from "../../src/sandbox/stats.ts";
import type { CliEnd } from "../helpers/cli-process.ts";
import type { ProgressWatch } from "../helpers/progress-watch.ts";
import { identityOf } from "../helpers/progress-watch.ts";
import type { RunOutputs } from "../helpers/run-outputs.ts";
import { allRows, readOutputs, rowNumbers, rowsUpTo } from "../helpers/run-outputs.ts";
import type { SharedStage, StageAgent } from "../helpers/stage.ts";
import { openSharedStage } from "../helpers/stage.ts";

const ROWS = 2_000;
const RATES = ["--rate", "200", "--poll-rate", "400"];

describe("2,000 rows at an agent with every usual trouble", () => {
  let stage: SharedStage;
  let agent: StageAgent;
  let watch: ProgressWatch;
  let command: string[];
  let end: CliEnd;
  let outputs: RunOutputs;
  let stats: SandboxStats;

  beforeAll(async () => {
    stage = await openSharedStage();
    agent = await stage.agent({
      duration: { kind: "lognormal", medianMs: 300, sigma: 0.5, maxMs: 2_000 },
      faults: [
        {
          match: { method: "SendMessage", nth: 1, share: 0.2 },
          effect: { kind: "rpc-error", code: -32603, message: "Internal error" },
        },
        { match: { share: 0.05 }, effect: { kind: "end", state: "FAILED" } },
        { match: { share: 0.02 }, effect: { kind: "end", state: "REJECTED" } },
        { match: { share: 0.02 }, effect: { kind: "end", state: "INPUT_REQUIRED" } },
        { match: { share: 0.01 }, effect: { kind: "message" } },
      ],
    });
    watch = stage.watch();
    command = ["run", await stage.partners(ROWS), ...RATES];
    end = await stage.run(...command);
    watch.stop();
    outputs = await readOutputs(stage.outDir);
    stats = agent.stats();
  });
  afterAll(() => stage.close());

  test("exits 3, with every row in exactly one file and in input order", () => {
    expect(end.exitCode, end.stderr).toBe(3);
    expect(allRows(outputs)).toEqual(rowsUpTo(ROWS));
    const { results, failures, needsInput, unprocessed } = outputs;
    for (const { rows } of [results, failures, needsInput]) {
      expect(rows.length).toBeGreaterThan(0);
      const numbers = rowNumbers(rows);
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    }
    expect(unprocessed.rows).toEqual([]);
  });

  test("meets the troubles that were ordered", () => {
    // Shares are drawn by text: near what was asked for, and never none.
    expect(stats.faults["rpc-error"]).toBeGreaterThan(ROWS * 0.15);
    expect(stats.faults["rpc-error"]).toBeLessThan(ROWS * 0.25);
    for (const state of ["FAILED", "REJECTED", "INPUT_REQUIRED"]) {
      expect(stats.ends[state], state).toBeGreaterThan(0);
    }
    expect(stats.directMessages).toBeGreaterThan(0);
  });

  test("has the counts of the agent itself", () => {
    const { summary, results, failures, needsInput } = outputs;
    const { COMPLETED = 0, FAILED = 0, REJECTED = 0, INPUT_REQUIRED = 0 } = stats.ends;
    const succeeded = COMPLETED + stats.directMessages;
    expect(summary.rows).toEqual({
      total: ROWS,
      pending: 0,
      open: 0,
      succeeded,
      failed: FAILED + REJECTED,
      needsInput: INPUT_REQUIRED,
      unprocessed: 0,
    });
    expect(summary.failuresByReason).toEqual({ TASK_FAILED: FAILED, TASK_REJECTED: REJECTED });
    expect(results.rows).toHaveLength(succeeded);
    expect(failures.rows).toHaveLength(FAILED + REJECTED);
    expect(needsInput.rows).toHaveLength(INPUT_REQUIRED);
    expect(results.rows.filter((row) => row["onboard_source"] === "message")).toHaveLength(
      stats.directMessages,
    );
  });

  test("counts each call as the agent does, and makes one task a row", () => {
    const { calls } = outputs.summary;
    const retries = stats.faults["rpc-error"] ?? 0;
    expect(calls).toEqual({
      sendMessage: stats.calls.SendMessage,
      getTask: stats.calls.GetTask,
      cancelTask: 0,
      retries,
      rateLimited: 0,
    });
    expect(calls.sendMessage).toBe(ROWS + retries);
    expect(stats.tasks + stats.directMessages).toBe(ROWS);
    expect(stats.repeatedMessageIds).toBe(retries);
    const { results, failures } = outputs;
    const attempts = [...results.rows, ...failures.rows].map((row) => row["onboard_attempts"]);
    expect(new Set(attempts)).toEqual(new Set(["1", "2"]));
  });

  test("keeps the sum of its counters equal to the total in every reading", () => {
    const begun = watch.readings.filter(({ total }) => total !== "0");
    // A reading each 100 ms over 12 s of sending at 200 a second, some missed on a busy machine.
    expect(begun.length).toBeGreaterThan(60);
    for (const reading of begun) expect(identityOf(reading)).toEqual({ total: ROWS, parts: ROWS });
    for (const reading of watch.readings.filter(({ total }) => total === "0")) {
      expect(reading).toMatchObject({ sendMessageCalls: "0", status: "ingesting" });
    }
    expect(begun.at(-1)).toMatchObject({ pending: "0", open: "0" });
  });

  test("is settled: the same command calls nobody and exits the same", async () => {
    const again = await stage.run(...command, "--json");
    expect(again.exitCode).toBe(3);
    expect(again.stderr).toContain(outputs.runId);
    expect(JSON.parse(again.stdout)).toEqual(outputs.summary);
    expect(agent.stats()).toEqual(stats);
  });

  test("begins a further run with --fresh", async () => {
    const freshId = `${outputs.runId}-2`;
    const freshWatch = stage.watch(freshId);
    const fresh = stage.start(...command, "--fresh");
    const reading = await freshWatch.until(({ succeeded }) => Number(succeeded) > 0);
    expect(reading).toMatchObject({ total: String(ROWS), status: "running" });
    expect(agent.stats().tasks).toBeGreaterThan(stats.tasks);
    fresh.signal("SIGINT");
    const { exitCode } = await fresh.ended;
    expect(exitCode).toBe(130);
    expect((await readOutputs(stage.outDir, outputs.runId)).summary).toEqual(outputs.summary);
  });
});
