import path from "node:path";
import type { App } from "../../app.ts";
import { createApp } from "../../app.ts";
import type { LoadedConfig } from "../../config/resolve-config.ts";
import type { ExitCode } from "../../core/exit-code.ts";
import { EXIT } from "../../core/exit-code.ts";
import type { Log } from "../../core/log.ts";
import type { RunView } from "../../runs/run-context.ts";
import { runFile } from "../../runs/run-file.ts";
import { exitCodeOfSignal } from "../../runs/session.ts";
import type { CommandContext, RunCommand } from "../command.ts";
import { chooseLogLevel, createLog } from "../log.ts";
import { describeStreams } from "../output.ts";
import type { ProgressReporter } from "../progress.ts";
import { chooseProgress, createProgressReporter } from "../progress.ts";
import { reportError } from "../report-error.ts";
import { showRunEnd } from "../run-end.ts";
import { snapshotOf } from "../run-view.ts";
import { createStopSignals, stopExitCode } from "../signals.ts";

/** `onboard-batch run`: each file a run of its own; one bad file stops none, the worst exit code wins. */
export const run: RunCommand = async ({ words }, context) => {
  const loaded = await context.loadConfig();
  const { io, output } = context;
  const { terminal } = loaded.config;
  const log = createLog({
    output,
    form: describeStreams(io).stderrIsTerminal ? "human" : "json",
    level: chooseLogLevel(terminal),
    now: io.now,
  });
  const stopping = new AbortController();
  const stopSignals = createStopSignals({
    ...io,
    onStop: (reason) => {
      output.say("Stopping: calls in flight are finished first; once more to stop at once.");
      stopping.abort(stopExitCode(reason));
    },
  });
  const warn = (text: string): void => output.alert("warning", text);
  const app = createApp({ loaded, cwd: io.cwd, log, warn });
  stopSignals.start();
  try {
    const exitCodes: ExitCode[] = [];
    for (const file of words) {
      if (stopping.signal.aborted) break;
      const stopSignal = stopping.signal;
      exitCodes.push(await runOne({ context, loaded, log, app, stopSignal }, file));
    }
    return worst(exitCodes);
  } finally {
    await app.close();
    stopSignals.stop();
  }
};

interface RunOne {
  readonly context: CommandContext;
  readonly loaded: LoadedConfig;
  readonly log: Log;
  readonly app: App;
  readonly stopSignal: AbortSignal;
}

async function runOne(one: RunOne, file: string): Promise<ExitCode> {
  const { context, loaded, app, log, stopSignal } = one;
  const { io, output } = context;
  const { config, secrets, machine } = loaded;
  let reporter: ProgressReporter | undefined;
  const startedAtMs = io.now();
  try {
    const end = await runFile(
      {
        config,
        apiKey: secrets.apiKey,
        concurrency: config.concurrency,
        outDir: path.resolve(io.cwd, config.out),
        stateDir: machine.stateDir,
        log,
        warn: (text) => output.alert("warning", text),
        openRedis: app.openRedis,
        openAgent: app.openAgent,
        stopSignal,
        onView: (view) => {
          reporter = createReporter(one, view);
          reporter.start();
        },
      },
      path.resolve(io.cwd, file),
    );
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
