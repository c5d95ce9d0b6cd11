import { expect, test } from "vitest";
import type { SandboxTask, TaskEnd } from "../../../src/sandbox/task.ts";
import {
  COMPLETED,
  computeStatus,
  createTimeline,
  toWireState,
} from "../../../src/sandbox/task.ts";
import { TaskStore } from "../../../src/sandbox/task-store.ts";

function createTask(id: string, end: TaskEnd = COMPLETED, durationMs = 0): SandboxTask {
  return {
    id,
    contextId: "c",
    messageId: `m-${id}`,
    text: "",
    textHash: 0,
    output: { text: true, data: false },
    extras: [],
    timeline: createTimeline(1000, durationMs, end),
    getTaskCount: 0,
    cancelTaskCount: 0,
    delivered: false,
  };
}

test("a task is submitted, works, and ends, each at its time", () => {
  const task = createTask("a", COMPLETED, 100);
  expect(computeStatus(task, 1000)).toEqual({
    state: "TASK_STATE_SUBMITTED",
    atMs: 1000,
    phase: "open",
  });
  expect(computeStatus(task, 1010)).toMatchObject({ state: "TASK_STATE_WORKING", atMs: 1010 });
  expect(computeStatus(task, 1100)).toEqual({
    state: "TASK_STATE_COMPLETED",
    atMs: 1100,
    phase: "terminal",
  });
});

test("an interrupted task goes on by itself when it was ordered to", () => {
  const task = createTask("a", { state: toWireState("AUTH_REQUIRED"), resumeAfterMs: 50 });
  expect(computeStatus(task, 1049).phase).toBe("interrupted");
  expect(computeStatus(task, 1050)).toMatchObject({ state: "TASK_STATE_COMPLETED", atMs: 1050 });
});

test("known states get their prefix, others stay", () => {
  expect(toWireState("UNSPECIFIED")).toBe("TASK_STATE_UNSPECIFIED");
  expect(toWireState("completed")).toBe("completed");
});

test("above its bound the store forgets delivered tasks, oldest first, and still counts their ends", () => {
  const store = new TaskStore(2);
  for (const id of ["a", "b"]) {
    const task = createTask(id);
    task.delivered = true;
    store.add(task);
  }
  store.add(createTask("c"));
  expect(store.find("a")).toBeUndefined();
  expect(store.find("b")).toBeDefined();
  expect(store.message("m-a").outcome.kind).toBe("none");
  expect(store.counts(5000)).toEqual({ tasks: 3, open: 0, lost: 0, ends: { COMPLETED: 3 } });
});

test("tasks whose end nobody asked for stay, and do not keep the others from going", () => {
  const store = new TaskStore(2);
  store.add(createTask("kept"));
  for (const id of ["b", "c", "d", "e"]) {
    const task = createTask(id);
    task.delivered = true;
    store.add(task);
  }
  expect(store.find("kept")).toBeDefined();
  expect(store.find("b")).toBeUndefined();
  expect(store.counts(5000)).toMatchObject({ tasks: 5, ends: { COMPLETED: 5 } });
});

test("a bound of one is kept to", () => {
  const store = new TaskStore(1);
  for (let row = 0; row < 50; row += 1) {
    const task = createTask(`t${row}`);
    store.add(task);
    task.delivered = true;
  }
  expect(store.find("t47")).toBeUndefined();
  expect(store.find("t49")).toBeDefined();
});

test("losing a task whose message got another task leaves the other one known", () => {
  const store = new TaskStore(10);
  const first = createTask("a");
  const second = { ...createTask("b"), messageId: first.messageId };
  store.add(first);
  store.add(second);
  store.lose(first);
  expect(store.message(first.messageId).outcome).toEqual({ kind: "task", task: second });
  expect(store.counts(5000)).toMatchObject({ tasks: 2, lost: 1, open: 0 });
});

test("a task that still works is counted as open", () => {
  const store = new TaskStore(10);
  store.add(createTask("a", COMPLETED, 100));
  expect(store.counts(1050)).toEqual({ tasks: 1, open: 1, lost: 0, ends: {} });
});
