import { expect, it } from "vitest";
import { tallyRows } from "../../../src/runs/tally-rows.ts";
import { FINISHED_AT_MS, failed, makeRun, needsInput, succeeded } from "./run-fixture.ts";

const CSV = "name,city\nACME,Bonn\n,Paris\nGlobex,Rome\nACME,Bonn\nInitech,Ulm\nUmbrella,Kiel\n";

it("counts every row once: by its outcome, by its fault, as a duplicate, or as the rest", async () => {
  const { plan, folder, journal } = await makeRun(CSV);
  await journal(succeeded(1, { attempts: 3, polls: 4 }), failed(3), needsInput(5, "which?"));
  expect(await tallyRows(plan, folder.journal)).toEqual({
    succeeded: 2,
    reused: 0,
    failed: 2,
    needsInput: 1,
    rest: 1,
    failuresByReason: { NAME_MISSING: 1, TASK_FAILED: 1 },
    sendMessageCalls: 5,
    getTaskCalls: 8,
    retries: 2,
    lastOutcomeAtMs: FINISHED_AT_MS,
    warnings: [],
    skipped: [],
  });
});

it("counts rows with an answer of an earlier run, and no call for them", async () => {
  const { plan, folder, journal } = await makeRun(CSV);
  await journal({ ...succeeded(1), attempts: 0, polls: 0, reusedFrom: "partners-0" });
  expect(await tallyRows(plan, folder.journal)).toMatchObject({
    succeeded: 2,
    reused: 2,
    sendMessageCalls: 0,
    retries: 0,
  });
});

it("lets the last of several outcomes of a row count", async () => {
  const { plan, folder, journal } = await makeRun("name\nACME\n");
  await journal(failed(1), succeeded(1));
  expect(await tallyRows(plan, folder.journal)).toMatchObject({
    succeeded: 1,
    failed: 0,
    failuresByReason: {},
  });
});

it("finds nothing but the rest where there is no journal", async () => {
  const { plan, folder } = await makeRun("name\nACME\nGlobex\n");
  expect(await tallyRows(plan, folder.journal)).toMatchObject({ rest: 2, lastOutcomeAtMs: 0 });
});
