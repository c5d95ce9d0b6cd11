import assert from "node:assert/strict";
import fc from "fast-check";
import { test } from "vitest";
import type { RowOutcome } from "../../../src/core/outcome.ts";
import type { RedisClient } from "../../../src/redis/connect.ts";
import type { TestRun } from "../../helpers/run-for-tests.ts";
import {
  createTestRun,
  openTestRedis,
  sumOfParts,
  testOutcome,
  testTask,
} from "../../helpers/run-for-tests.ts";

/** Rows and how many input rows each of them answers. */
const WEIGHTS = [1, 2, 5] as const;
const TOTAL = 8;

type RowState =
  | { readonly kind: "unsent" }
  | { readonly kind: "intent"; readonly tryGroup: number }
  | { readonly kind: "open"; readonly tryGroup: number }
  | { readonly kind: "done"; readonly as: RowOutcome["kind"] };

interface Model {
  status: "running" | "stopping" | "completed" | "canceled";
  readonly rows: RowState[];
  sends: number;
  unprocessed: number;
}

const goesOn = ({ status }: Model): boolean => status === "running" || status === "stopping";

const weightOf = (index: number): number => WEIGHTS[index] ?? 0;

function weigh(model: Model, counts: (state: RowState) => boolean): number {
  return model.rows.reduce((sum, state, at) => sum + (counts(state) ? weightOf(at) : 0), 0);
}

/** What the counters must be. */
function expectedCounts(model: Model) {
  const as = (kind: RowOutcome["kind"]): number =>
    weigh(model, (state) => state.kind === "done" && state.as === kind);
  const unsent = weigh(model, ({ kind }) => kind === "unsent" || kind === "intent");
  return {
    status: model.status,
    total: TOTAL,
    pending: unsent - model.unprocessed,
    open: weigh(model, ({ kind }) => kind === "open"),
    succeeded: as("succeeded"),
    failed: as("failed"),
    needsInput: as("needs-input"),
    unprocessed: model.unprocessed,
    sendMessageCalls: model.sends,
  };
}

/** One transition: what it does in the model, then in Redis; afterwards both must agree. */
class Transition implements fc.AsyncCommand<Model, TestRun> {
  private readonly name: string;
  private readonly apply: (model: Model, run: TestRun) => Promise<void>;

  constructor(name: string, apply: (model: Model, run: TestRun) => Promise<void>) {
    this.name = name;
    this.apply = apply;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, run: TestRun): Promise<void> {
    await this.apply(model, run);
    const progress = await run.progress();
    assert.deepEqual({ ...progress, ...expectedCounts(model) }, progress);
    assert.equal(sumOfParts(progress), TOTAL);
  }

  toString(): string {
    return this.name;
  }
}

const index = fc.nat({ max: WEIGHTS.length - 1 });
const tryGroups = fc.nat({ max: 1 });
const kinds = fc.constantFrom("succeeded", "failed", "needs-input");

function stateOf(model: Model, at: number): RowState {
  return model.rows[at] ?? { kind: "unsent" };
}

const transitions = [
  fc.tuple(index, tryGroups).map(
    ([at, tryGroup]) =>
      new Transition(`send ${at}/${tryGroup}`, async (model, run) => {
        const state = stateOf(model, at);
        const isFree = state.kind === "unsent" || state.kind === "intent";
        const isLate = state.kind === "intent" && state.tryGroup > tryGroup;
        const row = at + 1;
        const leave = await run.ledger.beginSend({ row, tryGroup, ...(await run.lock(row)) });
        const mayGo = isFree && !isLate && model.status === "running";
        assert.equal(leave.kind === "go", mayGo);
        if (!mayGo) return;
        model.sends += 1;
        model.rows[at] = { kind: "intent", tryGroup };
      }),
  ),
  index.map(
    (at) =>
      new Transition(`send without the lock ${at}`, async (_model, run) => {
        const row = at + 1;
        const { lockKey } = await run.lock(row);
        const leave = await run.ledger.beginSend({ row, tryGroup: 0, lockKey, token: "zombie" });
        assert.equal(leave.kind, "lost");
      }),
  ),
  fc.tuple(index, tryGroups).map(
    ([at, tryGroup]) =>
      new Transition(`task ${at}/${tryGroup}`, async (model, run) => {
        const { kind } = stateOf(model, at);
        const task = taskOf(at, tryGroup);
        const kept = await run.ledger.recordTask(task);
        if (!goesOn(model) || kind === "done") assert.equal(kept, undefined);
        else if (kind === "open") assert.notEqual(kept, undefined);
        else {
          assert.deepEqual(kept, task);
          model.rows[at] = { kind: "open", tryGroup };
        }
      }),
  ),
  fc.tuple(index, tryGroups).map(
    ([at, tryGroup]) =>
      new Transition(`drop ${at}/${tryGroup}`, async (model, run) => {
        const state = stateOf(model, at);
        const isMine = state.kind === "open" && state.tryGroup === tryGroup && goesOn(model);
        const wasDropped = state.kind === "intent" && state.tryGroup === tryGroup + 1;
        assert.equal(await run.ledger.dropTask(taskOf(at, tryGroup)), isMine || wasDropped);
        if (isMine) model.rows[at] = { kind: "intent", tryGroup: tryGroup + 1 };
      }),
  ),
  fc.tuple(index, kinds).map(
    ([at, as]) =>
      new Transition(`outcome ${at} ${as}`, async (model, run) => {
        await run.ledger.recordOutcome(testOutcome(at + 1, as), weightOf(at), "");
        if (goesOn(model) && stateOf(model, at).kind !== "done") {
          model.rows[at] = { kind: "done", as };
        }
      }),
  ),
  fc.constant(
    new Transition("stop", async (model, run) => {
      await run.record.stop("operator");
      if (model.status === "running") model.status = "stopping";
    }),
  ),
  fc.constant(
    new Transition("settle", async (model, run) => {
      await run.client.xtrim(run.keys.results, "MAXLEN", 0);
      await run.record.settle(true);
      const { open, pending } = expectedCounts(model);
      if (!goesOn(model) || open > 0) return;
      if (pending > 0 && model.status !== "stopping") return;
      model.unprocessed = pending;
      model.status = model.status === "stopping" ? "canceled" : "completed";
    }),
  ),
];

function taskOf(at: number, tryGroup: number) {
  return testTask(at + 1, { weight: weightOf(at), tryGroup, taskId: `task-${at}-${tryGroup}` });
}

async function setup(client: RedisClient): Promise<{ model: Model; real: TestRun }> {
  const real = await createTestRun(client, { total: TOTAL });
  const rows = WEIGHTS.map((): RowState => ({ kind: "unsent" }));
  return { model: { status: "running", rows, sends: 0, unprocessed: 0 }, real };
}

test("whatever happens in whatever order, every reading of the counters adds up to the total", async () => {
  const { client } = await openTestRedis();
  await fc.assert(
    fc.asyncProperty(fc.commands(transitions, { maxCommands: 60 }), async (commands) => {
      const prepared = await setup(client);
      await fc.asyncModelRun(() => prepared, commands);
    }),
    { numRuns: 150 },
  );
});
