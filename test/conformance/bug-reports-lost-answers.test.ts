import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLatch } from "../helpers/latch.ts";
import { allRows, readOutputs, rowsUpTo } from "../helpers/run-outputs.ts";
import { openStage } from "../helpers/stage.ts";
import {
  completed,
  doneText,
  later,
  rpcError,
  type StubAnswer,
  type StubCall,
  type StubScript,
  taskAnswer,
} from "../helpers/stub-agent.ts";
import { FAST_RATES, namesCsv, runOnStub, type StubRun, stubFor } from "../helpers/stub-run.ts";

const REQUEST_TIMEOUT_MS = 2_000;
const ATTEMPTS = 3;

/** Two sends wait for each other; each then gets the answer that is the other's. */
const swapped = createSwap();

const SCRIPTS: Readonly<Record<string, StubScript>> = {
  // The first ones to be sent: the run shall not stop before the agent has answered anything.
  "Ordinary 1": {},
  "Ordinary 2": {},
  "Answers too late": {
    SendMessage: (call) => later(call, REQUEST_TIMEOUT_MS * 4, completed(call)),
  },
  "Late at first": {
    SendMessage: (call) =>
      call.nth === 1 ? later(call, REQUEST_TIMEOUT_MS * 2, completed(call)) : completed(call),
  },
  "Internal error at the send": { SendMessage: () => rpcError(-32603, "Internal error") },
  "Internal error at first": {
    SendMessage: (call) => (call.nth === 1 ? rpcError(-32603, "Internal error") : completed(call)),
  },
  "Swapped 1": { SendMessage: swapped },
  "Swapped 2": { SendMessage: swapped },
  "Number for the id": {
    SendMessage: (call) => (call.nth === 1 ? { ...completed(call), id: 7 } : completed(call)),
  },
  "Null for the id of an error": {
    SendMessage: () => ({ kind: "error", code: -32602, message: "Not a partner.", id: null }),
  },
  "No answer to a send": { SendMessage: () => ({ kind: "silence" }) },
  "No answer to a poll": {
    GetTask: (call) => (call.nth === 1 ? { kind: "silence" } : completed(call)),
  },
  "Two resets at polls": {
    GetTask: (call) => (call.nth <= 2 ? { kind: "reset" } : completed(call)),
  },
  "Unknown at two polls": {
    GetTask: (call) =>
      ({
        1: rpcError(-32001, "no such task"),
        2: taskAnswer(call, "TASK_STATE_WORKING"),
        3: rpcError(-32001, "no such task"),
      })[call.nth] ?? completed(call),
  },
  "Ordinary 3": {},
};

const FAILED: ReadonlySet<string> = new Set([
  "Answers too late",
  "Internal error at the send",
  "Null for the id of an error",
  "No answer to a send",
]);

describe("an answer that does not come", () => {
  let run: StubRun;

  beforeAll(async () => {
    run = await runOnStub({
      scripts: SCRIPTS,
      words: ["--request-timeout", `${REQUEST_TIMEOUT_MS}ms`, "--attempts", String(ATTEMPTS)],
    });
  });
  afterAll(() => run.close());

  function sends(name: string): readonly StubCall[] {
    return run.stub.calls(name, "SendMessage");
  }
  function expectSameMessage(name: string): void {
    expect(new Set(sends(name).map(({ messageId }) => messageId)).size).toBe(1);
  }

  test("leaves every row settled", () => {
    expect(run.end.exitCode, run.end.stderr).toBe(3);
    for (const name of Object.keys(SCRIPTS)) {
      expect(run.row(name).file, name).toBe(FAILED.has(name) ? "failures" : "results");
    }
  });

  test("in time has its message sent once more, and never again (3: a2a-python#253)", () => {
    const name = "Answers too late";
    expect(run.row(name)).toMatchObject({
      onboard_stage: "submit",
      onboard_reason: "AGENT_UNAVAILABLE",
      onboard_retryable: "true",
      onboard_attempts: "2",
    });
    expect(sends(name)).toHaveLength(2);
    expectSameMessage(name);
    expect(sends(name)[0]?.params["configuration"]).toEqual({ returnImmediately: true });
    expect(run.row("Late at first")["onboard_attempts"]).toBe("2");
    expectSameMessage("Late at first");
  });

  test("but -32603 does has its message sent as often as declared (10: A2A#2049)", () => {
    const name = "Internal error at the send";
    expect(run.row(name)).toMatchObject({
      onboard_reason: "AGENT_UNAVAILABLE",
      onboard_code: "-32603",
      onboard_attempts: String(ATTEMPTS),
    });
    expect(sends(name)).toHaveLength(ATTEMPTS);
    expectSameMessage(name);
    expectSameMessage("Internal error at first");
  });

  test("but another's does is never used (19: a2a-js#176)", () => {
    for (const name of ["Swapped 1", "Swapped 2", "Number for the id"]) {
      expect(run.row(name)).toMatchObject({
        onboard_text: doneText({ name }),
        onboard_attempts: "2",
      });
      expectSameMessage(name);
    }
    // HTTP pairs an error with its request already.
    expect(run.row("Null for the id of an error")).toMatchObject({
      onboard_reason: "AGENT_REFUSED",
      onboard_code: "-32602",
      onboard_message: "Not a partner.",
      onboard_attempts: "1",
    });
  });

  test("at all holds up no other row (34: a2a-python#103)", () => {
    expect(run.row("No answer to a send")).toMatchObject({
      onboard_reason: "AGENT_UNAVAILABLE",
      onboard_attempts: "2",
    });
    expect(run.row("No answer to a poll")["onboard_polls"]).toBe("2");
    const [poll] = run.stub.calls("Ordinary 3", "GetTask");
    const [, second] = run.stub.calls("No answer to a poll", "GetTask");
    expect(poll?.atMs).toBeLessThan(second?.atMs ?? 0);
  });

  test("since the connection broke twice is asked for again (38: ag2#2255)", () => {
    expect(run.row("Two resets at polls")["onboard_polls"]).toBe("3");
    expect(sends("Two resets at polls")).toHaveLength(1);
  });

  test("from a replica that does not know the task is asked for again (12: salesagent#2257, molecule-core#176)", () => {
    expect(run.row("Unknown at two polls")).toMatchObject({
      onboard_polls: "4",
      onboard_attempts: "1",
    });
    expect(sends("Unknown at two polls")).toHaveLength(1);
  });
});

describe.concurrent("a process killed between a message and its answer", () => {
  test("loses no row, and sends again what is recognisable (11: A2A#928, A2A#1987, A2A#1893)", async (context) => {
    const rows = 30;
    const held = 5;
    const stage = await openStage(context);
    const heldBack = createLatch();
    let arrived = 0;
    const stub = await stubFor(context, stage, {
      otherwise: {
        SendMessage: (call): StubAnswer | Promise<StubAnswer> => {
          arrived += 1;
          if (arrived === held) heldBack.open();
          return arrived <= held ? later(call, 60_000, completed(call)) : completed(call);
        },
      },
    });
    const names = Array.from({ length: rows }, (_, index) => `Partner ${index + 1}`);
    const file = await stage.write("partners.csv", namesCsv(names, stage.runId));
    const words = ["run", file, ...FAST_RATES];
    const first = stage.start(...words);
    await heldBack.opened;
    await first.kill();
    const second = await stage.run(...words);
    expect(second.exitCode, second.stderr).toBe(0);

    const outputs = await readOutputs(stage.outDir);
    expect(allRows(outputs)).toEqual(rowsUpTo(rows));
    for (const name of names) {
      const sends = stub.calls(name, "SendMessage");
      expect(new Set(sends.map(({ messageId }) => messageId)).size, name).toBe(1);
    }
    const { calls } = outputs.summary;
    expect(calls.retries).toBe(calls.sendMessage - rows);
    // A message may have been counted and never have left.
    expect(calls.sendMessage).toBeGreaterThanOrEqual(arrived);
    expect(arrived).toBeGreaterThanOrEqual(rows + held);
  });
});

describe.concurrent("an agent that throttles with 429", () => {
  test.for([
    ["seconds", (): string => "2"],
    // Dates count whole seconds, so this is 2 to 3 s from now.
    ["an HTTP date", (): string => new Date(Date.now() + 3_000).toUTCString()],
  ] as const)(
    "is left alone by all for as long as it says in %s (20: a2a-java#799, a2a-java#920, ziran#119)",
    async ([, retryAfter], { onTestFinished }) => {
      let throttledAtMs = 0;
      const names = Array.from({ length: 10 }, (_, index) => `Partner ${index + 1}`);
      const run = await runOnStub({
        names,
        otherwise: {
          SendMessage: (call): StubAnswer => {
            if (call.name !== "Partner 3" || call.nth > 1) return completed(call);
            throttledAtMs = call.atMs;
            const headers = { "retry-after": retryAfter() };
            return { kind: "http", status: 429, body: "slow down", headers };
          },
        },
        words: ["--rate", "20", "--concurrency", "1"],
      });
      onTestFinished(() => run.close());
      expect(run.end.exitCode, run.end.stderr).toBe(0);
      expect(run.row("Partner 3")).toMatchObject({ file: "results", onboard_attempts: "2" });
      const after = run.stub.calls().filter(({ atMs }) => atMs > throttledAtMs);
      expect(after.length).toBeGreaterThanOrEqual(8);
      const closedMs = Math.min(...after.map(({ atMs }) => atMs)) - throttledAtMs;
      expect(closedMs).toBeGreaterThanOrEqual(1_990);
      expect(closedMs).toBeLessThan(6_000);
      expect(run.outputs.summary.calls.rateLimited).toBe(1);
    },
  );
});

function createSwap(): (call: StubCall) => Promise<StubAnswer> {
  const first = createLatch<StubCall>();
  const second = createLatch<StubCall>();
  let arrived = 0;
  return async (call) => {
    if (call.nth > 1) return completed(call);
    arrived += 1;
    const [own, others] = arrived === 1 ? [first, second] : [second, first];
    own.open(call);
    const other = await others.opened;
    return { ...completed(other), id: other.rpcId };
  };
}
