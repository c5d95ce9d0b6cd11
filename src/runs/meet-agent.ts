import { setTimeout as delay } from "node:timers/promises";
import { readAgentCard } from "../a2a/card.ts";
import type { AgentClient } from "../a2a/client.ts";
import { createAgentClient } from "../a2a/client.ts";
import type { Transport } from "../a2a/transport.ts";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import type { Log } from "../core/log.ts";
import type { RunSettings } from "../core/run-settings.ts";

export interface MeetAgentDeps {
  readonly transport: Transport;
  /** Where the agent is; for the sandbox inside the process its address there. */
  readonly agentUrl: string;
  readonly apiKey: string | undefined;
  readonly settings: RunSettings;
  readonly log: Log;
  /** Lines for people. */
  readonly warn: (text: string) => void;
  /** Tells since when the agent is away (ms since the epoch), undefined once it is there. */
  readonly onAway: (sinceMs: number | undefined) => void;
}

const RETRY_MS = 1_000;

/**
 * Reads the agent card before the first call and makes the client for what it says. An agent that is
 * away is waited for up to `agent.giveUpAfter`, like any outage.
 *
 * @throws OnboardError exit 2 not the agent that was configured, exit 4 credentials refused, exit 5
 * name or certificate wrong, or away for too long
 */
export async function meetAgent(deps: MeetAgentDeps, signal: AbortSignal): Promise<AgentClient> {
  const { transport, agentUrl, apiKey, settings } = deps;
  const { requestTimeoutMs, maxResponseBytes, acceptedOutputModes } = settings;
  const sinceMs = Date.now();
  for (;;) {
    const options = { transport, agentUrl, apiKey, requestTimeoutMs, maxResponseBytes, signal };
    const reading = await readAgentCard(options);
    switch (reading.kind) {
      case "ready":
      case "unreadable": {
        for (const warning of reading.warnings) deps.warn(warning);
        deps.onAway(undefined);
        const tenant = reading.kind === "ready" ? reading.tenant : "";
        const { endpoint } = reading;
        const calls = { requestTimeoutMs, maxResponseBytes, acceptedOutputModes };
        return createAgentClient({ transport, endpoint, apiKey, tenant, ...calls });
      }
      case "wrong-agent":
        throw wrongAgent(reading.message, agentUrl);
      case "credentials":
        throw refusedCredentials(reading.message);
      case "unreachable":
        throw new OnboardError(
          EXIT.unavailable,
          `cannot reach the agent at ${agentUrl}: ${reading.failure.message}`,
          {
            hint: "check --agent-url, the network and agent.caFile; then run the same command again",
          },
        );
      case "away":
        signal.throwIfAborted();
        deps.onAway(sinceMs);
        deps.log.warn("agent.away", { code: reading.failure.code });
        if (Date.now() - sinceMs >= settings.giveUpAfterMs)
          throw agentStayedAway(reading.failure.message);
        await delay(RETRY_MS, undefined, { signal });
    }
  }
}

export function wrongAgent(message: string, agentUrl: string): OnboardError {
  return new OnboardError(EXIT.usage, `not the agent that was configured: ${message}`, {
    hint: `check --agent-url (${agentUrl}); it is the base URL under which .well-known/agent-card.json lies. Nothing was consumed: the same command goes on`,
  });
}

export function refusedCredentials(message: string): OnboardError {
  return new OnboardError(EXIT.credentials, `the agent refused the credentials: ${message}`, {
    hint: "set ONBOARD_BATCH_API_KEY or ONBOARD_BATCH_API_KEY_FILE to a valid key, then run the same command again",
  });
}

export function agentStayedAway(message: string): OnboardError {
  return new OnboardError(EXIT.unavailable, `the agent stayed away: ${message}`, {
    hint: "run the same command again when it is back; it goes on where it was",
  });
}
