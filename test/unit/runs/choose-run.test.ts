import { describe, expect, it } from "vitest";
import { OnboardError } from "../../../src/core/errors.ts";
import { computeRunId } from "../../../src/core/run-id.ts";
import type { KnownRun, RunWish } from "../../../src/runs/choose-run.ts";
import { chooseRun } from "../../../src/runs/choose-run.ts";

const BYTES = "a".repeat(64);
const OTHER_BYTES = "c".repeat(64);
const IDENTITY = "0123456789abcdef".repeat(4);
const OTHER_IDENTITY = "fedcba9876543210".repeat(4);

const WISH: RunWish = {
  file: "partners.csv",
  sha256: BYTES,
  identity: IDENTITY,
  runId: undefined,
  fresh: false,
};

const BASE_ID = computeRunId("partners.csv", IDENTITY);

function run(runId: string, over: Partial<KnownRun> = {}): KnownRun {
  return { runId, sha256: BYTES, identity: IDENTITY, status: "running", ...over };
}

function refusal(wish: RunWish, known: readonly KnownRun[]): OnboardError {
  try {
    chooseRun(wish, known);
  } catch (error) {
    if (error instanceof OnboardError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

describe("a file that nobody has sent", () => {
  it("begins a run with an id from its name and its identity", () => {
    expect(chooseRun(WISH, [])).toEqual({ kind: "begin", runId: "partners-0123456789ab" });
  });

  it("begins a run with the id that was given", () => {
    expect(chooseRun({ ...WISH, runId: "monthly" }, [])).toEqual({
      kind: "begin",
      runId: "monthly",
    });
  });

  it("is not disturbed by runs of other files", () => {
    const known = [run("others-1", { sha256: OTHER_BYTES, identity: OTHER_IDENTITY })];
    expect(chooseRun(WISH, known)).toEqual({ kind: "begin", runId: BASE_ID });
  });
});

describe("the same command again", () => {
  it.each(["ingesting", "running", "paused", "stopping"] as const)(
    "continues a run that is %s",
    (status) => {
      expect(chooseRun(WISH, [run(BASE_ID, { status })])).toEqual({
        kind: "continue",
        runId: BASE_ID,
      });
    },
  );

  it.each(["completed", "canceled", "stopped"] as const)("finds a %s run settled", (status) => {
    expect(chooseRun(WISH, [run(BASE_ID, { status })])).toEqual({
      kind: "settled",
      runId: BASE_ID,
    });
  });

  it("finds a run settled of which only the summary is left", () => {
    const known = [run(BASE_ID, { identity: "", status: "completed" })];
    expect(chooseRun(WISH, known)).toEqual({ kind: "settled", runId: BASE_ID });
  });

  it("means the newest of the family", () => {
    const known = [
      run(BASE_ID, { status: "completed" }),
      run(`${BASE_ID}-10`),
      run(`${BASE_ID}-9`, { status: "completed" }),
    ];
    expect(chooseRun(WISH, known)).toEqual({ kind: "continue", runId: `${BASE_ID}-10` });
  });

  it("works the same with --run-id", () => {
    const wish = { ...WISH, runId: "monthly" };
    expect(chooseRun(wish, [run("monthly")])).toEqual({ kind: "continue", runId: "monthly" });
    const known = [run("monthly", { status: "completed" }), run("monthly-2")];
    expect(chooseRun(wish, known)).toEqual({ kind: "continue", runId: "monthly-2" });
  });
});

describe("--fresh", () => {
  it.each([
    ["the first run when there is none", [], BASE_ID],
    ["-2 beside the first", [run(BASE_ID)], `${BASE_ID}-2`],
    ["the next number", [run(BASE_ID), run(`${BASE_ID}-2`)], `${BASE_ID}-3`],
  ])("begins %s", (_what, known, runId) => {
    expect(chooseRun({ ...WISH, fresh: true }, known)).toEqual({ kind: "begin", runId });
  });

  it("begins one beside an unfinished run with other settings", () => {
    const known = [run("partners-x", { identity: OTHER_IDENTITY })];
    expect(chooseRun({ ...WISH, fresh: true }, known)).toEqual({ kind: "begin", runId: BASE_ID });
  });
});

describe("an unfinished run of the same bytes", () => {
  it("under other settings is exit 2, naming both ways out", () => {
    const error = refusal(WISH, [run("partners-x", { identity: OTHER_IDENTITY })]);
    expect(error.exitCode).toBe(2);
    expect(error.message).toMatch(/^run partners-x .*not finished.*other settings/);
    expect(error.hint).toContain("--run-id");
    expect(error.hint).toContain("--fresh");
  });

  it("with the same settings and another id is exit 2, naming the id to go on with", () => {
    const error = refusal(WISH, [run("monthly")]);
    expect(error.exitCode).toBe(2);
    expect(error.message).not.toContain("other settings");
    expect(error.hint).toContain("--run-id monthly");
    expect(error.hint).toContain("--fresh");
  });

  it("does not keep one with an own --run-id from beginning", () => {
    const known = [run("partners-x", { identity: OTHER_IDENTITY })];
    const wish = { ...WISH, runId: "monthly" };
    expect(chooseRun(wish, known)).toEqual({ kind: "begin", runId: "monthly" });
  });

  it("under other settings that has settled is no hindrance", () => {
    const known = [run("partners-x", { identity: OTHER_IDENTITY, status: "completed" })];
    expect(chooseRun(WISH, known)).toEqual({ kind: "begin", runId: BASE_ID });
  });
});

describe("--run-id of a known run", () => {
  const wish = { ...WISH, runId: "monthly" };

  it.each(["running", "completed"] as const)(
    "with other bytes is exit 2 when it is %s",
    (status) => {
      const error = refusal(wish, [run("monthly", { sha256: OTHER_BYTES, status })]);
      expect(error.exitCode).toBe(2);
      expect(error.message).toBe("run monthly was begun with another file");
      expect(error.hint).toContain("--run-id");
    },
  );

  it("with other settings is exit 2", () => {
    const error = refusal(wish, [run("monthly", { identity: OTHER_IDENTITY })]);
    expect(error.exitCode).toBe(2);
    expect(error.message).toMatch(/^run monthly was begun with other settings/);
  });
});
