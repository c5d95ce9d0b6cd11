import { CallGate } from "../redis/gate.ts";
import { gateKey } from "../redis/keys.ts";
import type { ProcessDeps } from "./run-context.ts";

/** The gate of an agent for all runs of this process. */
export function createAgentGate(deps: ProcessDeps, agentUrl: string): CallGate {
  return new CallGate({
    client: deps.redis.client,
    key: gateKey(agentOrigin(agentUrl), deps.apiKey),
    concurrency: deps.concurrency,
    log: deps.log,
  });
}

/** One agent is everything below an origin; the sandbox inside the process has none. */
export function agentOrigin(agentUrl: string): string {
  return agentUrl === "sandbox" ? agentUrl : new URL(agentUrl).origin;
}
