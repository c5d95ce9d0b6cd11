import type { LoadedConfig } from "../../config/resolve-config.ts";
import type { ExitCode } from "../../core/exit-code.ts";
import { EXIT } from "../../core/exit-code.ts";
import type { RunView } from "../../runs/run-context.ts";
import { runFile } from "../../runs/run-file.ts";
import { exitCodeOfSignal } from "../../runs/session.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import type { CommandParts } from "../command-parts.ts";
import { createCommandParts } from "../command-parts.ts";
import { describeStreams } from "../output.ts";
import type { ProgressReporter } from "../progress.ts";
import { chooseProgress, createProgressReporter } from "../progress.ts";
import { reportError } from "../report-error.ts";
import { inputPath, runFileDeps } from "../run-deps.ts";
import { showRunEnd } from "../run-end.ts";
import { snapshotOf } from "../run-view.ts";
import { stoppable } from "../stoppable.ts";

/** `onboard-batch run`: each file a run of its own; one bad file stops none, the worst exit code wins. */
export const run: RunCommand = async ({ words }, context) => {
  const loaded = await context.loadConfig();
  const parts = createCommandParts(context, loaded);
  return stoppable(context, parts.app, async (stopSignal) => {
    const exitCodes: ExitCode[] = [];
    for (const file of words) {
      if (stopSignal.aborted) break;
      exitCodes.push(await runOne({ context, loaded, parts, stopSignal }, file));
    }
    return worst(exitCodes);
  });
};

interface RunOne {
  readonly context: CommandContext;
  readonly loaded: LoadedConfig;
  readonly parts: CommandParts;
  readonly stopSignal: AbortSignal;
}

async function runOne(one: RunOne, file: string): Promise<ExitCode> {
  const { context, loaded, stopSignal } = one;
  const { io, output } = context;
  const { config } = loaded;
  let reporter: ProgressReporter | undefined;
  const startedAtMs = io.now();
  try {
    const onView = (view: RunView): void => {
      reporter = createReporter(one, view);
      reporter.start();
    };
    const deps = runFileDeps({ io, loaded, parts: one.parts }, { stopSignal, onView });
    const end = await runFile(deps, inputPath(io.cwd, file));
    reporter?.stop();
    showRunEnd({ output, terminal: config.terminal, file, tookMs: io.now() - startedAtMs }, end);
    return end.exitCode;
  } catch (error) {
    reporter?.stop();
    if (stopSignal.aborted) return exitCodeOfSignal(stopSignal);
    return reportError(error, output, config.terminal);
  }
}

function createReporter({ context, loaded }: RunOne, view: RunView): ProgressReporter {
  const { io, output } = context;
  const { progress, quiet } = loaded.config.terminal;
  return createProgressReporter({
    output,
    mode: chooseProgress(progress, {
      stderrIsTerminal: describeStreams(io).stderrIsTerminal,
      quiet,
      isCi: (io.env["CI"] ?? "") !== "",
    }),
    snapshot: () => snapshotOf(view, io.now()),
    columns: () => io.stderr.columns ?? 100,
  });
}

/** What stopped a run weighs more than rows that failed, and a signal more than anything. */
const SEVERITY: readonly ExitCode[] = [
  EXIT.ok,
  EXIT.rowsFailed,
  EXIT.stopped,
  EXIT.held,
  EXIT.usage,
  EXIT.unavailable,
  EXIT.credentials,
  EXIT.bug,
  EXIT.interrupted,
  EXIT.terminated,
];

function worst(exitCodes: readonly ExitCode[]): ExitCode {
  return exitCodes.reduce<ExitCode>(
    (a, b) => (SEVERITY.indexOf(b) > SEVERITY.indexOf(a) ? b : a),
    EXIT.ok,
  );
}
