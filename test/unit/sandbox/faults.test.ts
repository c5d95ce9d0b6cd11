import { expect, test } from "vitest";
import type { FaultCall } from "../../../src/sandbox/faults.ts";
import { createFaultPlan } from "../../../src/sandbox/faults.ts";
import { hashText } from "../../../src/sandbox/hash.ts";
import { sandboxOptionsSchema } from "../../../src/sandbox/options.ts";

type Rules = Parameters<typeof sandboxOptionsSchema.parse>[0];

function plan(faults: unknown) {
  const options: Rules = { faults };
  return createFaultPlan(sandboxOptionsSchema.parse(options).faults);
}

function createCall(call: Partial<FaultCall> = {}): FaultCall {
  const text = call.text ?? "Name: X";
  return { method: "SendMessage", text, textHash: hashText(text), nth: 1, index: 1, ...call };
}

const RESET = { kind: "reset" };

test.each([
  { match: { method: "GetTask" }, hit: { method: "GetTask" }, miss: { method: "SendMessage" } },
  { match: { nth: 2 }, hit: { nth: 2 }, miss: { nth: 3 } },
  { match: { from: 5 }, hit: { index: 5 }, miss: { index: 4 } },
  { match: { to: 5 }, hit: { index: 5 }, miss: { index: 6 } },
  { match: { textIncludes: "X" }, hit: { text: "Name: X" }, miss: { text: "Name: Y" } },
] as const)("$match decides alone", ({ match, hit, miss }) => {
  const decide = plan([{ match, effect: RESET }]);
  expect(decide(createCall(hit)).answer?.kind).toBe("reset");
  expect(decide(createCall(miss)).answer).toBeUndefined();
});

test("a share of 1 is all, of 0 none", () => {
  expect(plan([{ match: { share: 1 }, effect: RESET }])(createCall()).answer).toBeDefined();
  expect(plan([{ match: { share: 0 }, effect: RESET }])(createCall()).answer).toBeUndefined();
});

test("all conditions of a rule must hold", () => {
  const decide = plan([{ match: { nth: 1, textIncludes: "X" }, effect: RESET }]);
  expect(decide(createCall()).answer).toBeDefined();
  expect(decide(createCall({ nth: 2 })).answer).toBeUndefined();
});

test("faults of the call strike every method, faults of the task only its birth, unless told", () => {
  const decide = plan([{ effect: RESET }, { effect: { kind: "end", state: "FAILED" } }]);
  const poll = decide(createCall({ method: "GetTask" }));
  expect(poll.answer?.kind).toBe("reset");
  expect(poll.task).toEqual([]);
  expect(decide(createCall()).task).toHaveLength(1);
});

test("delays and task faults add up, the first answer wins", () => {
  const decide = plan([
    { effect: { kind: "slow", ms: 5 } },
    { effect: { kind: "hang" } },
    { effect: RESET },
    { effect: { kind: "slow", ms: 7 } },
    { effect: { kind: "end", state: "FAILED" } },
    { effect: { kind: "url-part", url: "https://example.com" } },
  ]);
  const { delayMs, answer, task } = decide(createCall());
  expect(delayMs).toBe(12);
  expect(answer?.kind).toBe("hang");
  expect(task.map(({ kind }) => kind)).toEqual(["end", "url-part"]);
});

test("shares hold over many texts, and two rules strike independently", () => {
  const decide = plan([
    { match: { share: 0.2 }, effect: RESET },
    { match: { share: 0.2 }, effect: { kind: "end", state: "FAILED" } },
  ]);
  const all = Array.from({ length: 5000 }, (_, row) =>
    decide(createCall({ text: `Firma ${row}` })),
  );
  const shareOf = (isHit: (decision: (typeof all)[number]) => boolean) =>
    all.filter(isHit).length / all.length;
  expect(Math.abs(shareOf(({ answer }) => answer !== undefined) - 0.2)).toBeLessThan(0.02);
  expect(Math.abs(shareOf(({ task }) => task.length > 0) - 0.2)).toBeLessThan(0.02);
  const both = shareOf(({ answer, task }) => answer !== undefined && task.length > 0);
  expect(Math.abs(both - 0.04)).toBeLessThan(0.015);
});
