import { setTimeout as delay } from "node:timers/promises";
import type { ExitCode } from "../../core/exit-code.ts";
import { EXIT } from "../../core/exit-code.ts";
import { isSettled } from "../../core/progress.ts";
import type { FindDeps, RunName } from "../../runs/find-run.ts";
import { findRun, findRuns } from "../../runs/find-run.ts";
import { exitCodeOfSignal } from "../../runs/session.ts";
import type { RunStanding } from "../../runs/status.ts";
import { readStanding } from "../../runs/status.ts";
import type { RunCommand } from "../command.ts";
import { runNameOf, withRuns } from "../named-run.ts";
import { withStopSignal } from "../signals.ts";
import { renderRun, renderRunTable } from "../status-text.ts";

const WATCH_EVERY_MS = 2_000;

/** `onboard-batch status [run]`: changes nothing, and starts no Redis that has never been. */
export const status: RunCommand = async (input, context) => {
  const loaded = await context.loadConfig();
  const { output, io } = context;
  const { json } = loaded.config.terminal;
  const { apiKey } = loaded.secrets;
  const name = runNameOf(input);
  return withRuns(context, loaded, async (deps) => {
    let shown = "";
    const show = async (): Promise<boolean> => {
      const look = await lookAt({ deps, apiKey }, name);
      if (json) output.jsonResult(look.document);
      else if (look.text === "")
        output.say(`There is no run, neither in Redis nor in ${deps.outDir}.`);
      else if (look.text !== shown) output.result(look.text);
      shown = look.text;
      return look.isSettled;
    };
    if (input.flags["watch"] !== true) {
      await show();
      return EXIT.ok;
    }
    return withStopSignal(io, (stopSignal) => watch(show, stopSignal));
  });
};

/** Shows again and again until everything shown is settled, or a signal ends it. */
async function watch(show: () => Promise<boolean>, signal: AbortSignal): Promise<ExitCode> {
  while (!(await show())) {
    await delay(WATCH_EVERY_MS, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return exitCodeOfSignal(signal);
  }
  return EXIT.ok;
}

interface Look {
  readonly document: unknown;
  /** Empty when there is nothing to show. */
  readonly text: string;
  readonly isSettled: boolean;
}

async function lookAt(
  { deps, apiKey }: { readonly deps: FindDeps; readonly apiKey: string | undefined },
  name: RunName | undefined,
): Promise<Look> {
  const { outDir, warn } = deps;
  if (name !== undefined) {
    const { run, redis } = await findRun(deps, name);
    const standing = await readStanding({ outDir, redis, apiKey, warn }, run);
    const { summary } = standing;
    return { document: summary, text: renderRun(standing), isSettled: isSettled(summary.status) };
  }
  const { runs, redis } = await findRuns(deps);
  const standings: RunStanding[] = [];
  for (const run of runs) {
    standings.push(await readStanding({ outDir, redis, apiKey, warn }, run));
  }
  return {
    document: standings.map(({ summary }) => summary),
    text: standings.length === 0 ? "" : renderRunTable(standings),
    isSettled: standings.every(({ summary }) => isSettled(summary.status)),
  };
}
