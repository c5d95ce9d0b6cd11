import { readFile } from "node:fs/promises";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, type TestContext, test, vi } from "vitest";
import type { CliEnd } from "../helpers/cli-process.ts";
import { doneRows } from "../helpers/progress-watch.ts";
import type { OutputRow, RunOutputs } from "../helpers/run-outputs.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { type SdkPeer, type SdkPeerOptions, startSdkPeer } from "../helpers/sdk-peer.ts";
import { answerFor, type PeerScript } from "../helpers/sdk-peer-executor.ts";
import { openSharedStage, openStage, type SharedStage, type Stage } from "../helpers/stage.ts";
import { namesCsv } from "../helpers/stub-run.ts";

/** How many rows of each script there are, and where they belong. */
const PLAN = {
  Quick: [60, "results"],
  Terse: [20, "results"],
  Slow: [36, "results"],
  Message: [16, "results"],
  Parts: [12, "results"],
  Chunks: [8, "results"],
  Status: [12, "results"],
  Wordless: [8, "results"],
  Input: [12, "needsInput"],
  Auth: [3, "failures"],
  Failed: [10, "failures"],
  Rejected: [10, "failures"],
  Canceled: [6, "failures"],
  Unspecified: [3, "failures"],
  Throws: [8, "failures"],
  Breaks: [8, "failures"],
  Silent: [6, "failures"],
  Early: [3, "failures"],
  Obedient: [4, "failures"],
  Stubborn: [3, "failures"],
  Huge: [2, "failures"],
} as const satisfies Record<PeerScript, readonly [number, RowFile]>;

type RowFile = "results" | "failures" | "needsInput";

const NAMES = dealt(Object.entries(PLAN).map(([script, [count]]) => [script, count] as const));
const KILL_AT_ROWS = 60;
const CONCURRENCY = 8;
/** Long enough for every task that ends, short for those that never do. */
const WORDS =
  `--rate 60 --poll-rate 150 --concurrency ${CONCURRENCY} --task-timeout 8s --request-timeout 10s`.split(
    " ",
  );

beforeAll(() => {
  // The SDK tells the errors that it was asked for on the console.
  vi.spyOn(console, "error").mockReturnValue();
  vi.spyOn(console, "warn").mockReturnValue();
});
afterAll(() => vi.restoreAllMocks());

describe("the official SDK's server", () => {
  let stage: SharedStage;
  let peer: SdkPeer;
  let end: CliEnd;
  let outputs: RunOutputs;

  beforeAll(async () => {
    stage = await openSharedStage();
    peer = await startSdkPeer({ breaksEvery: 25 });
    stage.setEnv({ ONBOARD_BATCH_AGENT_URL: peer.url });
    const file = await stage.write("partners.csv", namesCsv(NAMES, stage.runId));
    const watch = stage.watch();
    const first = stage.start("run", file, ...WORDS);
    await watch.until((reading) => doneRows(reading) >= KILL_AT_ROWS);
    await first.kill();
    end = await stage.run("run", file, ...WORDS);
    outputs = await readOutputs(stage.outDir);
  }, 150_000);
  afterAll(async () => {
    await peer.stop();
    await stage.close();
  });

  function rowsOf(script: PeerScript): readonly OutputRow[] {
    const rows = outputs[PLAN[script][1]].rows.filter(({ name }) => scriptOf(name) === script);
    expect(rows).toHaveLength(PLAN[script][0]);
    return rows;
  }

  test("has at least 200 rows settled, through a kill -9 and a restart", () => {
    expect(NAMES.length).toBeGreaterThanOrEqual(200);
    expect(end.exitCode, end.stderr).toBe(3);
    expect(allRows(outputs)).toEqual(rowsUpTo(NAMES.length));
    expect(outputs.summary.rows).toMatchObject({
      total: NAMES.length,
      succeeded: countOf("results"),
      failed: countOf("failures"),
      needsInput: countOf("needsInput"),
      pending: 0,
      open: 0,
    });
  });

  test("has every row in the file that its script asks for", () => {
    for (const file of ["results", "failures", "needsInput"] as const) {
      for (const { name } of outputs[file].rows) expect(planOf(name)[1], name).toBe(file);
    }
  });

  test("gives each row the answer to its own message", () => {
    for (const script of ["Quick", "Terse", "Slow", "Status"] as const) {
      for (const { name = "", onboard_text: text } of rowsOf(script)) {
        expect(text).toBe(answerFor(name));
      }
    }
    const withTask = [...outputs.results.rows, ...outputs.failures.rows].filter(
      (row) => row["onboard_task_id"] !== "",
    );
    expect(withTask.length).toBeGreaterThan(NAMES.length / 2);
    for (const { name, onboard_task_id: taskId = "" } of withTask) {
      expect(peer.nameOfTask(taskId)).toBe(name);
    }
  });

  test("executed each message once, but for those whose answer the kill cut off", () => {
    const counts = NAMES.map((name) => peer.executions(name));
    expect(Math.min(...counts)).toBe(1);
    expect(counts.filter((count) => count > 1).length).toBeLessThanOrEqual(CONCURRENCY);
    expect(Math.max(...counts)).toBeLessThanOrEqual(2);
    expect(peer.brokenSends).toBeGreaterThan(5);
  });

  test("is understood when it answers with a message, pieces, a status, or no word", () => {
    for (const row of rowsOf("Message")) {
      expect(row).toMatchObject({
        onboard_source: "message",
        onboard_task_id: "",
        onboard_text: `Told at once: ${row["name"]}`,
      });
    }
    for (const row of rowsOf("Chunks")) {
      const text = [answerFor(row["name"] ?? ""), "second piece", "third piece"].join("\n");
      expect(row).toMatchObject({ onboard_source: "artifact", onboard_text: text });
    }
    for (const row of rowsOf("Status")) expect(row["onboard_source"]).toBe("status");
    for (const row of rowsOf("Wordless")) {
      expect(row).toMatchObject({
        onboard_source: "status",
        onboard_text: "",
        onboard_files: "[]",
      });
    }
  });

  test("is understood in every kind of part", async () => {
    for (const row of rowsOf("Parts")) {
      expect(row["onboard_text"]?.trimEnd()).toBe(answerFor(row["name"] ?? ""));
      expect(JSON.parse(row["onboard_data"] ?? "")).toEqual([{ a: 1, none: null, list: [] }, null]);
      const [raw, url] = JSON.parse(row["onboard_files"] ?? "") as { path: string }[];
      expect(raw).toMatchObject({ mediaType: "application/octet-stream" });
      expect(await readFile(path.join(outputs.dir, raw?.path ?? ""))).toEqual(
        Buffer.from([0, 255, 1]),
      );
      expect(url).toMatchObject({ name: "x.pdf", url: "https://files.example/x.pdf" });
    }
  });

  test("asks, and its question is told", () => {
    for (const row of rowsOf("Input")) {
      expect(row).toMatchObject({ onboard_question: "Which country?", onboard_answer: "" });
    }
  });

  test.for([
    ["Failed", "TASK_FAILED", "The backend said no."],
    ["Rejected", "TASK_REJECTED", "Not my job."],
    ["Canceled", "TASK_CANCELED", "Stopped by an admin."],
    ["Throws", "TASK_FAILED", "nothing could be begun"],
    ["Breaks", "TASK_FAILED", "something broke in the middle"],
    ["Silent", "AGENT_REFUSED", "Execution finished before"],
    ["Auth", "AUTH_REQUIRED", "Log in at https://idp.example/."],
    ["Unspecified", "UNKNOWN_STATE", "the task has no state"],
    ["Early", "TASK_TIMEOUT", "did not end in time"],
    ["Obedient", "TASK_TIMEOUT", "did not end in time"],
    ["Stubborn", "TASK_TIMEOUT", "did not end in time"],
    ["Huge", "RESULT_TOO_LARGE", "1048576"],
  ] as const)("ends a row as it should: %s is %s", ([script, reason, words]) => {
    for (const row of rowsOf(script)) {
      expect(row).toMatchObject({ onboard_reason: reason });
      expect(row["onboard_message"]).toContain(words);
    }
  });
});

describe.concurrent("the official SDK's server, started anew", () => {
  test("has the rows sent once more whose tasks it forgot, and all succeed", async (context) => {
    const rows = 40;
    const { stage, peer } = await setUp(context, {});
    const names = Array.from({ length: rows }, (_, index) => `Slow ${index + 1}`);
    const file = await stage.write("partners.csv", namesCsv(names, stage.runId));
    const watch = stage.watch();
    const running = stage.run("run", file, "--rate", "20", "--poll-rate", "100");
    await watch.until((reading) => doneRows(reading) >= 5 && Number(reading["open"]) >= 2);
    peer.restart();
    const end = await running;
    expect(end.exitCode, end.stderr).toBe(0);
    const { results } = await readOutputs(stage.outDir);
    expect(results.rows).toHaveLength(rows);
    const attempts = results.rows.map((row) => Number(row["onboard_attempts"]));
    expect(Math.max(...attempts)).toBe(2);
    for (const row of results.rows) {
      const name = row["name"] ?? "";
      expect(row["onboard_text"]).toBe(answerFor(name));
      expect(peer.executions(name)).toBe(Number(row["onboard_attempts"]));
    }
  });
});

describe.concurrent("the official SDK's server of version 0.3", () => {
  test.for([
    ["by a card that lists 0.3 alone", { versions: ["0.3"] }, "JSONRPC 0.3"],
    ["by a card of 0.3's own shape", { versions: ["0.3"], legacyCompat: true }, "not JSONRPC 1.0"],
    [
      "by its answer, where the card says otherwise",
      { versions: ["0.3"], shownVersions: ["1.0"] },
      "1.0",
    ],
    [
      "by its answer, where a proxy drops the version",
      { dropsVersionHeader: true },
      "not the agent that was configured",
    ],
    [
      "by its answer, where a proxy drops the version and 0.3 is spoken, too",
      { versions: ["1.0", "0.3"], legacyCompat: true, dropsVersionHeader: true },
      "not the agent that was configured",
    ],
  ] as const)(
    "is refused with exit 2 %s: nothing is executed",
    async ([, options, words], context) => {
      const { stage, peer } = await setUp(context, options);
      const file = await stage.write("partners.csv", namesCsv(["Quick 1", "Quick 2"], stage.runId));
      const end = await stage.run("run", file);
      expect(end.exitCode, end.stderr).toBe(2);
      expect(end.stderr).toContain(words);
      expect(end.stderr).toContain("--agent-url");
      expect(peer.executions("Quick 1") + peer.executions("Quick 2")).toBe(0);
      const progress = await stage.redis.hgetall(`onboard-batch:{${stage.runId}}:progress`);
      expect(progress).toMatchObject({ pending: "2", failed: "0" });
    },
  );

  test("is spoken to in 1.0 when it speaks both", async (context) => {
    const { stage } = await setUp(context, { versions: ["1.0", "0.3"], legacyCompat: true });
    const file = await stage.write("partners.csv", namesCsv(["Quick 1", "Input 2"], stage.runId));
    const end = await stage.run("run", file);
    expect(end.exitCode, end.stderr).toBe(3);
    const { results, needsInput } = await readOutputs(stage.outDir);
    expect(results.rows).toMatchObject([{ onboard_text: answerFor("Quick 1") }]);
    expect(needsInput.rows).toMatchObject([{ onboard_question: "Which country?" }]);
  });
});

async function setUp(
  context: TestContext,
  options: SdkPeerOptions,
): Promise<{ readonly stage: Stage; readonly peer: SdkPeer }> {
  const stage = await openStage(context);
  const peer = await startSdkPeer(options);
  context.onTestFinished(() => peer.stop());
  stage.setEnv({ ONBOARD_BATCH_AGENT_URL: peer.url });
  return { stage, peer };
}

/** Names of each script as often as asked for, the scripts mixed. */
function dealt(plan: readonly (readonly [string, number])[]): readonly string[] {
  const most = Math.max(...plan.map(([, count]) => count));
  return Array.from({ length: most }, (_, turn) =>
    plan.filter(([, count]) => turn < count).map(([script]) => `${script} ${turn + 1}`),
  ).flat();
}

function scriptOf(name = ""): PeerScript {
  return name.split(" ", 1)[0] as PeerScript;
}

function planOf(name = ""): readonly [number, RowFile] {
  return PLAN[scriptOf(name)];
}

function countOf(file: RowFile): number {
  return Object.values(PLAN)
    .filter(([, inFile]) => inFile === file)
    .reduce((total, [count]) => total + count, 0);
}
