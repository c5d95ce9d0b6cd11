import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { GivenAnswer } from "../csv/read-answers.ts";
import { readAnswers } from "../csv/read-answers.ts";

/** The answers to the tasks of one run. */
export interface RunAnswers {
  readonly runId: string;
  readonly answers: readonly (GivenAnswer & { readonly place: string })[];
}

/**
 * The filled-in answers of a needs-input file, by run in the order of the file.
 *
 * @param file absolute; `name` stands for it in messages
 * @throws OnboardError exit 2 when it is another file, or a task has two answers that differ
 */
export async function readRunAnswers(file: string, name: string): Promise<readonly RunAnswers[]> {
  const byRun = new Map<string, Map<string, RunAnswers["answers"][number]>>();
  for (const answer of await readAnswers(file)) {
    const tasks = byRun.get(answer.runId) ?? new Map<string, RunAnswers["answers"][number]>();
    byRun.set(answer.runId, tasks);
    const place = `${name}:${answer.line}`;
    const earlier = tasks.get(answer.taskId);
    // Rows with the same message share a task, which can be answered once.
    if (earlier !== undefined && earlier.text !== answer.text) refuseTwo(earlier.place, place);
    if (earlier === undefined) tasks.set(answer.taskId, { ...answer, place });
  }
  return Array.from(byRun, ([runId, tasks]) => ({ runId, answers: [...tasks.values()] }));
}

function refuseTwo(first: string, second: string): never {
  throw new OnboardError(EXIT.usage, `${first} and ${second} answer the same task differently`, {
    hint: "leave one of the two answers blank",
  });
}
