import { expect, test } from "vitest";
import type { Log, LogFields } from "../../../src/core/log.ts";
import type { RowOutcome } from "../../../src/core/outcome.ts";
import { createRowLog } from "../../../src/steps/row-log.ts";

const FACTS = {
  row: 7,
  taskId: "task-7",
  contextId: "context",
  attempts: 2,
  polls: 3,
  submittedAtMs: 0,
  finishedAtMs: 1,
};
const OUTCOMES: readonly RowOutcome[] = [
  {
    ...FACTS,
    kind: "succeeded",
    source: "artifact",
    artifacts: [{ name: "", parts: [{ kind: "text", text: "Muster GmbH" }] }],
    message: [],
  },
  {
    ...FACTS,
    kind: "failed",
    stage: "track",
    reason: "TASK_FAILED",
    code: "",
    message: "no Muster GmbH",
  },
  { ...FACTS, kind: "needs-input", question: "Which Muster GmbH?" },
];
const FAILURE = { kind: "refused", code: "-32602", message: "Muster GmbH is odd" } as const;

function logged(withData: boolean): readonly { event: string; fields: LogFields | undefined }[] {
  const entries: { event: string; fields: LogFields | undefined }[] = [];
  const write = (event: string, fields?: LogFields): void => void entries.push({ event, fields });
  const log: Log = { debug: write, info: write, warn: write, error: write };
  const rowLog = createRowLog(log, "run-1", withData);
  for (const outcome of OUTCOMES) rowLog.ended(outcome);
  rowLog.callFailed(7, FAILURE);
  return entries;
}

test("a row's way is told by its number and codes, without a word of the agent", () => {
  const entries = logged(false);
  expect(entries.map(({ event }) => event)).toEqual([
    "row.ended",
    "row.ended",
    "row.ended",
    "call.failed",
  ]);
  expect(entries[1]?.fields).toEqual({
    runId: "run-1",
    row: 7,
    outcome: "failed",
    attempts: 2,
    polls: 3,
    taskId: "task-7",
    stage: "track",
    reason: "TASK_FAILED",
    code: "",
  });
  expect(entries[3]?.fields).toEqual({
    runId: "run-1",
    row: 7,
    failure: "refused",
    code: "-32602",
  });
  expect(JSON.stringify(entries)).not.toContain("Muster");
});

test("the agent's words are told when that is allowed", () => {
  const words = logged(true).map(({ fields }) => fields?.["message"]);
  expect(words).toEqual([
    "Muster GmbH",
    "no Muster GmbH",
    "Which Muster GmbH?",
    "Muster GmbH is odd",
  ]);
});
