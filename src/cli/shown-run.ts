import type { LoadedConfig } from "../config/resolve-config.ts";
import type { ExitCode } from "../core/exit-code.ts";
import type { RunEnd, RunFileDeps, RunView } from "../runs/run-context.ts";
import { exitCodeOfSignal } from "../runs/session.ts";
import type { CommandContext } from "./command.ts";
import type { CommandParts } from "./command-parts.ts";
import { describeStreams } from "./output.ts";
import type { ProgressReporter } from "./progress.ts";
import { chooseProgress, createProgressReporter } from "./progress.ts";
import { reportError } from "./report-error.ts";
import { runFileDeps } from "./run-deps.ts";
import { showRunEnd } from "./run-end.ts";
import { snapshotOf } from "./run-view.ts";

/** Where work on a run is shown. */
export interface ShownRun {
  readonly context: CommandContext;
  readonly loaded: LoadedConfig;
  readonly parts: CommandParts;
  readonly stopSignal: AbortSignal;
  /** As typed; undefined for a command that takes none. */
  readonly file: string | undefined;
}

/** Works on a run with its progress on stderr, and tells how it ended. */
export async function showRun(
  shown: ShownRun,
  work: (deps: RunFileDeps) => Promise<RunEnd>,
): Promise<ExitCode> {
  const { context, loaded, parts, stopSignal, file } = shown;
  const { io, output } = context;
  const { terminal } = loaded.config;
  let reporter: ProgressReporter | undefined;
  const startedAtMs = io.now();
  try {
    const onView = (view: RunView): void => {
      reporter = createReporter(shown, view);
      reporter.start();
    };
    const end = await work(runFileDeps({ io, loaded, parts }, { stopSignal, onView }));
    reporter?.stop();
    showRunEnd({ output, terminal, file, tookMs: io.now() - startedAtMs }, end);
    return end.exitCode;
  } catch (error) {
    reporter?.stop();
    if (stopSignal.aborted) return exitCodeOfSignal(stopSignal);
    return reportError(error, output, terminal);
  }
}

function createReporter({ context, loaded }: ShownRun, view: RunView): ProgressReporter {
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
