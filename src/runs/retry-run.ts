import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { RunLimits } from "../redis/run-record.ts";
import { agentOrigin } from "./agent-gate.ts";
import { settledEnd } from "./choose-file.ts";
import type { EarlierAnswers } from "./earlier-answers.ts";
import { NO_EARLIER_ANSWERS } from "./earlier-answers.ts";
import type { FoundRun } from "./find-run.ts";
import { requireInput } from "./given-input.ts";
import { holdRun } from "./hold-run.ts";
import { limitsOf } from "./prepare-run.ts";
import type { Reopening, RetryChoice, TaskAnswer } from "./reopen-run.ts";
import { findReplies, findRetryRows } from "./reopen-run.ts";
import { requireKey } from "./require-key.ts";
import type { RunEnd, RunFileDeps } from "./run-context.ts";
import { answerStoreOf } from "./run-context.ts";
import { runFolder, settledSummary } from "./run-folder.ts";
import { runSession } from "./session.ts";

export interface RetryDeps extends RunFileDeps {
  /** `--input`: the run's input, for a folder without its copy; absolute. */
  readonly input: string | undefined;
}

/**
 * Reopens a settled run and goes on as `run` does until all is settled: failed rows that may end
 * differently and unprocessed rows are sent, and a later outcome replaces the earlier. One that is
 * not settled just goes on; one with nothing to send again stays as it is.
 *
 * @throws OnboardError exit 2 when the run's journal or input is not here, or its agent is another one
 */
export async function retryRun(
  deps: RetryDeps,
  run: FoundRun,
  choice: RetryChoice,
): Promise<RunEnd> {
  const { outDir } = deps;
  const { runId } = run;
  const settings = requireOwnRun(deps, run);
  const summary = run.onDisk === undefined ? undefined : settledSummary(run.onDisk);
  if (summary?.rows.unprocessed === 0) {
    const rows = await findRetryRows(runFolder(outDir, runId), choice);
    if (rows.length === 0) return settledEnd(outDir, runId);
  }
  return goOnReopened(deps, settings, { kind: "retry", choice, limits: limitsNow(deps) });
}

/**
 * Sends answers to the tasks of a run that wait for them, follows these to their end, and merges their
 * outcomes into the run. Answers to tasks that do not wait any more are told and left out.
 *
 * @throws OnboardError exit 2 when the run is not settled or has rows that were never sent, and as
 * retryRun
 */
export async function answerRun(
  deps: RetryDeps,
  run: FoundRun,
  answers: readonly (TaskAnswer & { readonly place: string })[],
): Promise<RunEnd> {
  const { outDir, warn } = deps;
  const { runId } = run;
  const settings = requireOwnRun(deps, run);
  const summary = run.onDisk === undefined ? undefined : settledSummary(run.onDisk);
  if (summary === undefined || summary.rows.unprocessed > 0) {
    const is = summary === undefined ? "is not settled yet" : "has rows that were never sent";
    const first = summary === undefined ? "status" : "retry";
    throw new OnboardError(EXIT.usage, `run ${runId} ${is}`, {
      hint: `its questions can be answered when all its rows are settled: onboard-batch ${first} ${runId} comes first`,
    });
  }
  const replies = await findReplies(runFolder(outDir, runId), answers);
  const waiting = new Set(replies.map(({ taskId }) => taskId));
  for (const { taskId, place } of answers) {
    if (!waiting.has(taskId)) warn(`${place}: no row of run ${runId} waits for this answer`);
  }
  if (replies.length === 0) return settledEnd(outDir, runId);
  return goOnReopened(deps, settings, { kind: "answer", answers, limits: limitsNow(deps) });
}

/** What a run was limited to before does not hold for what is begun now. */
function limitsNow({ config }: RetryDeps): RunLimits {
  return limitsOf(config.limits, Date.now());
}

/** Whoever sends rows again wants them sent. */
function openEarlier(): EarlierAnswers {
  return NO_EARLIER_ANSWERS;
}

async function goOnReopened(
  deps: RetryDeps,
  settings: RunSettings,
  reopening: Reopening,
): Promise<RunEnd> {
  const { outDir, config, warn, stopSignal } = deps;
  const redis = await deps.openRedis();
  const placeInput = (target: string): Promise<void> =>
    requireInput({ file: deps.input, outDir }, settings, target);
  const opening = { client: redis.client, outDir, warn, stopSignal, placeInput, reopening };
  const form = config.output;
  const answers = answerStoreOf(deps);
  const holding = { ...deps, form, answers, redis, opening, whenHeld: "refuse" } as const;
  return holdRun(holding, settings, (held) => runSession({ ...deps, redis, openEarlier }, held));
}

/** The settings of a run whose journal is here, and whose agent this process was configured with. */
function requireOwnRun(deps: RetryDeps, run: FoundRun): RunSettings {
  const { config, apiKey } = deps;
  const settings = settingsHere(deps, run);
  refuseOtherAgent(settings, config.agent.url);
  requireKey(config.agent, apiKey);
  return settings;
}

function settingsHere({ outDir }: RetryDeps, { runId, onDisk }: FoundRun): RunSettings {
  const settings = onDisk?.header?.settings;
  if (settings !== undefined) return settings;
  throw new OnboardError(EXIT.usage, `the journal of run ${runId} is not in ${outDir}`, {
    hint: "run the command on the host that wrote the run's outputs, with its --out; onboard-batch status tells where",
  });
}

/** The key goes to the agent that was configured, never to one that only a stored run names. */
function refuseOtherAgent({ runId, agentUrl }: RunSettings, configured: string): void {
  if (agentOrigin(agentUrl) === agentOrigin(configured)) return;
  throw new OnboardError(EXIT.usage, `run ${runId} belongs to the agent at ${agentUrl}`, {
    hint: `give --agent-url ${agentUrl}`,
  });
}
