import { createInterface } from "node:readline/promises";
import { OnboardError } from "../core/errors.ts";
import type { ExitCode } from "../core/exit-code.ts";
import { EXIT } from "../core/exit-code.ts";
import { findRun } from "../runs/find-run.ts";
import type { RunOrder } from "../runs/order-run.ts";
import { orderRun, wouldChange } from "../runs/order-run.ts";
import type { RunStanding } from "../runs/status.ts";
import { readStanding } from "../runs/status.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { requireRunName, withRuns } from "./named-run.ts";

/** What an order tells people, by whether something has changed. */
export interface OrderWords {
  readonly done: (standing: RunStanding) => string;
  readonly already: (runId: string) => string;
  /** Asked before; none for an order that can be taken back. */
  readonly question?: (standing: RunStanding) => string;
}

/** A command that gives a run an order and tells how it stands then. */
export function orderCommand(order: RunOrder, words: OrderWords): RunCommand {
  return async (input, context) => {
    const loaded = await context.loadConfig();
    const { output } = context;
    const { json, quiet } = loaded.config.terminal;
    const name = requireRunName(input);
    const tell = (standing: RunStanding, hasChanged: boolean): ExitCode => {
      const { summary } = standing;
      if (json) output.jsonResult(summary);
      if (!quiet) output.say(hasChanged ? words.done(standing) : words.already(summary.runId));
      return EXIT.ok;
    };
    return withRuns(context, loaded, async (deps): Promise<ExitCode> => {
      const { run, redis } = await findRun(deps, name);
      const standing = (): Promise<RunStanding> =>
        readStanding({ ...deps, redis, apiKey: loaded.secrets.apiKey }, run);
      const before = await standing();
      if (!wouldChange(run.runId, before.summary.status, order)) return tell(before, false);
      const question = words.question?.(before);
      if (
        question !== undefined &&
        !(await isConfirmed(context, loaded.config.terminal, question))
      ) {
        output.say("Nothing was changed.");
        return EXIT.ok;
      }
      const hasChanged = await orderRun(redis, run.runId, order);
      return tell(await standing(), hasChanged);
    });
  };
}

/** @throws OnboardError exit 2 where nobody can be asked and `--yes` is missing */
async function isConfirmed(
  { io }: CommandContext,
  terminal: { readonly yes: boolean; readonly input: boolean },
  question: string,
): Promise<boolean> {
  if (terminal.yes) return true;
  if (!terminal.input || io.stdin.isTTY !== true || io.stderr.isTTY !== true) {
    throw new OnboardError(EXIT.usage, "this must be confirmed, and nobody can be asked here", {
      hint: "give --yes",
    });
  }
  const asking = createInterface({ input: io.stdin, output: io.stderr });
  try {
    return /^y(es)?$/i.test((await asking.question(`${question} [y/N] `)).trim());
  } finally {
    asking.close();
  }
}

/** What to do about a run on which no process works; empty when one does. */
export function adviceWhenLeft({ activity, summary }: RunStanding): string {
  if (activity.kind !== "left") return "";
  return `\nNo process works on it. To go on: the command that began it, or a worker and onboard-batch collect ${summary.runId}`;
}
