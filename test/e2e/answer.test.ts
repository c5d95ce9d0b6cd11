import path from "node:path";
import { stringify } from "csv-stringify/sync";
import { expect, test } from "vitest";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import type { OutputRow } from "../helpers/run-outputs.ts";
import { allRows, readOutputs, rowNumbers, rowsUpTo } from "../helpers/run-outputs.ts";
import type { Stage, StageAgent } from "../helpers/stage.ts";
import { openStage } from "../helpers/stage.ts";

const FAST = ["--rate", "100", "--poll-rate", "200"];
const ASKING: SandboxOptions = {
  duration: { kind: "fixed", ms: 20 },
  faults: [
    { match: { share: 0.4 }, effect: { kind: "end", state: "INPUT_REQUIRED", text: "Which one?" } },
  ],
};

interface Asked {
  readonly stage: Stage;
  readonly agent: StageAgent;
  readonly file: string;
  readonly questions: readonly OutputRow[];
}

/** A settled run of so many rows, of which some wait for an answer. */
async function ask(context: Parameters<typeof openStage>[0], rows: number): Promise<Asked> {
  const stage = await openStage(context);
  const agent = await stage.agent(ASKING);
  const file = await stage.partners(rows);
  const end = await stage.run("run", file, ...FAST);
  expect(end.exitCode, end.stderr).toBe(3);
  const { needsInput } = await readOutputs(stage.outDir);
  expect(needsInput.rows.length).toBeGreaterThan(4);
  return { stage, agent, file, questions: needsInput.rows };
}

/** Writes a needs-input file as a person has filled it in: an answer for each row, blank for none. */
function fillIn(
  { stage, questions }: Asked,
  answerOf: (row: OutputRow, index: number) => string,
  options = {},
): Promise<string> {
  const rows = questions.map((row, index) => ({ ...row, onboard_answer: answerOf(row, index) }));
  return stage.write("answers.csv", stringify(rows, { header: true, ...options }));
}

test("answers go to the waiting tasks, their outcomes into the run; blank ones stay", async (context) => {
  const asked = await ask(context, 40);
  const { stage, agent, questions, file } = asked;
  const answers = await fillIn(asked, (_, index) =>
    index === 0 ? " " : `The one in Bonn, ${index}`,
  );
  const end = await stage.run("answer", answers);
  expect(end.exitCode, end.stderr).toBe(3);
  const outputs = await readOutputs(stage.outDir);
  expect(allRows(outputs)).toEqual(rowsUpTo(40));
  expect(rowNumbers(outputs.needsInput.rows)).toEqual([Number(questions[0]?.["onboard_row"])]);
  expect(outputs.summary.rows).toMatchObject({ succeeded: 39, needsInput: 1, failed: 0 });
  expect(agent.stats()).toMatchObject({ tasks: 40, followUps: questions.length - 1 });
  const answered = outputs.results.rows.find(
    (row) => row["onboard_task_id"] === questions[1]?.["onboard_task_id"],
  );
  expect(answered).toMatchObject({ onboard_row: questions[1]?.["onboard_row"] });

  // The same file again: nothing waits any more, and nothing is sent.
  const again = await stage.run("answer", answers);
  expect(again.exitCode, again.stderr).toBe(3);
  expect(again.stderr).toContain("answers.csv:3: no row of run");
  expect(agent.stats().followUps).toBe(questions.length - 1);
  expect((await stage.run("run", file)).exitCode).toBe(3);
});

test("a file that a spreadsheet has saved is read", async (context) => {
  const asked = await ask(context, 30);
  const { stage, questions } = asked;
  const file = await fillIn(asked, () => "ja, in Köln", {
    delimiter: ";",
    bom: true,
    record_delimiter: "windows",
  });
  const end = await stage.run("answer", file);
  expect(end.exitCode, end.stderr).toBe(0);
  expect((await readOutputs(stage.outDir)).summary.rows).toMatchObject({
    succeeded: 30,
    needsInput: 0,
  });
  expect(asked.agent.stats().followUps).toBe(questions.length);
});

test("answers go to no other agent than the run's", async (context) => {
  const asked = await ask(context, 20);
  const { stage } = asked;
  const answers = await fillIn(asked, () => "this one");
  const before = await readOutputs(stage.outDir);
  const other = await stage.agent(ASKING);
  const refused = await stage.run("answer", answers);
  expect(refused.exitCode, refused.stderr).toBe(2);
  expect(refused.stderr).toContain(`--agent-url ${asked.agent.url}`);
  expect(other.stats().calls).toMatchObject({ card: 0, SendMessage: 0 });
  expect((await readOutputs(stage.outDir)).summary).toEqual(before.summary);
});

test("an answer that is killed goes on with the same command of the run", async (context) => {
  const asked = await ask(context, 40);
  const { stage, agent, file, questions } = asked;
  const answers = await fillIn(asked, () => "the one in Bonn");
  const watch = stage.watch();
  context.onTestFinished(() => watch.stop());
  const killed = stage.start("answer", answers);
  await watch.until(({ status }) => status === "running");
  await killed.kill();
  const end = await stage.run("run", file);
  expect(end.exitCode, end.stderr).toBe(0);
  expect((await readOutputs(stage.outDir)).summary.rows).toMatchObject({ succeeded: 40 });
  expect(agent.stats().tasks).toBe(40);
  expect(agent.stats().followUps).toBeLessThanOrEqual(questions.length + 8);
});

test("files without answers, and of another kind, are told as such", async (context) => {
  const asked = await ask(context, 20);
  const { stage } = asked;
  const blank = await stage.run("answer", await fillIn(asked, () => ""));
  expect(blank.exitCode, blank.stderr).toBe(0);
  expect(blank.stderr).toContain("fill in the column onboard_answer");
  const other = await stage.run("answer", path.join(stage.outDir, stage.runId, "results.csv"));
  expect(other.exitCode).toBe(2);
  expect(other.stderr).toContain("this is no needs-input.csv");
});
