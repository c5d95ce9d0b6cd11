import type { CallFailure } from "./call.ts";

/** Why this process can no longer call the agent. The run's rows stay pending. */
export type FatalStop =
  | { readonly kind: "credentials"; readonly message: string }
  | { readonly kind: "wrong-agent"; readonly message: string }
  /** The first sends were all written and never answered: going on would pay for tasks nobody follows. */
  | { readonly kind: "blocking-agent"; readonly message: string }
  /** The agent has been away for longer than `agent.giveUpAfter`. */
  | { readonly kind: "agent-down"; readonly message: string };

type FatalFailure = Extract<CallFailure, { kind: "credentials" | "wrong-agent" }>;

/** Whether a failed call means that no call of this process can succeed. */
export function isFatal(failure: CallFailure): failure is FatalFailure {
  return failure.kind === "credentials" || failure.kind === "wrong-agent";
}

export function fatalStopOf({ kind, message }: FatalFailure): FatalStop {
  return { kind, message };
}
