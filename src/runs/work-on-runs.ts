import type { ExitCode } from "../core/exit-code.ts";
import { EXIT } from "../core/exit-code.ts";
import { createAgentGate } from "./agent-gate.ts";
import { errorOfStop } from "./end-run.ts";
import type { ProcessDeps } from "./run-context.ts";
import { createRunServer } from "./serve-runs.ts";
import { createEnd, endOnSignal } from "./session.ts";

export interface WorkerDeps extends ProcessDeps {
  readonly agentUrl: string;
  /** Aborted by the first SIGINT or SIGTERM. */
  readonly stopSignal: AbortSignal;
}

/**
 * Works on every active run of an agent until it is told to stop.
 *
 * @throws OnboardError when the agent takes no call of this process any more (exit 2, 4, 5)
 */
export async function workOnRuns(deps: WorkerDeps): Promise<ExitCode> {
  const [ended, tellEnd] = createEnd();
  const forgetSignal = endOnSignal(deps.stopSignal, tellEnd);
  const gate = createAgentGate(deps, deps.agentUrl);
  const server = createRunServer({
    ...deps,
    gate,
    onStop: (stop, run) => {
      if (stop.kind === "credentials") run.noteRefused().catch(() => undefined);
      tellEnd({ kind: "stopped", stop });
    },
    onError: (error) => tellEnd({ kind: "error", error }),
  });
  server.start();
  const end = await ended;
  forgetSignal();
  await server.stop(end.kind);
  gate.stop();
  if (end.kind === "error") throw end.error;
  if (end.kind === "stopped") throw errorOfStop(end.stop, deps.agentUrl);
  return EXIT.ok;
}
