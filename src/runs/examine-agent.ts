import { randomUUID } from "node:crypto";
import type { CardReading } from "../a2a/card.ts";
import { readAgentCard } from "../a2a/card.ts";
import { createAgentClient } from "../a2a/client.ts";
import type { Config } from "../config/schema.ts";
import type { TaskReply } from "../core/call.ts";
import { EXIT } from "../core/exit-code.ts";
import { type Finding, findingOfError } from "../core/finding.ts";
import { refusedCredentials, wrongAgent } from "./meet-agent.ts";
import { requireKey } from "./require-key.ts";
import type { AgentAccess } from "./run-context.ts";

export interface ExamineAgentDeps {
  readonly config: Config;
  readonly apiKey: string | undefined;
  readonly openAgent: () => Promise<AgentAccess>;
  readonly stopSignal: AbortSignal;
}

/** Whoever waits at a terminal does not wait as long as a run does. */
const MAX_CALL_MS = 10_000;

/**
 * Reads the agent's card and asks about a task that nobody made: it costs nothing, and tells whether
 * the key is taken.
 *
 * @yields a finding about the agent, and one about the key where it can be told
 */
export async function* examineAgent(deps: ExamineAgentDeps): AsyncIterable<Finding> {
  const { config, apiKey, stopSignal } = deps;
  const { maxResponseBytes } = config.agent;
  const requestTimeoutMs = Math.min(config.requestTimeoutMs, MAX_CALL_MS);
  const missingKey = findingOfMissingKey(deps);
  if (missingKey !== undefined) yield missingKey;
  try {
    const { url: agentUrl, transport } = await deps.openAgent();
    const calls = { transport, apiKey, requestTimeoutMs, maxResponseBytes };
    const reading = await readAgentCard({ ...calls, agentUrl, signal: stopSignal });
    yield findingOfCard(reading, agentUrl);
    const isThere = reading.kind === "ready" || reading.kind === "unreadable";
    if (!isThere || missingKey !== undefined) return;
    const tenant = reading.kind === "ready" ? reading.tenant : "";
    const client = createAgentClient({ ...calls, endpoint: reading.endpoint, tenant });
    yield findingOfAnswer(deps, await client.getTask(randomUUID(), stopSignal));
  } catch (error) {
    yield findingOfError("Agent", error);
  }
}

function findingOfCard(reading: CardReading, agentUrl: string): Finding {
  const what = "Agent";
  switch (reading.kind) {
    case "ready": {
      const found = `${reading.name || "without a name"}, called at ${reading.endpoint}`;
      const [mend] = reading.warnings;
      return mend === undefined
        ? { what, verdict: "ok", found }
        : { what, verdict: "warn", found, mend };
    }
    case "unreadable":
      return {
        what,
        verdict: "warn",
        found: reading.warnings.join("; "),
        mend: `check --agent-url (${agentUrl}): the card lies at .well-known/agent-card.json below it`,
      };
    case "wrong-agent":
      return findingOfError(what, wrongAgent(reading.message, agentUrl));
    case "credentials":
      return findingOfError(what, refusedCredentials(reading.message));
    case "away":
    case "unreachable":
      return {
        what,
        verdict: "fail",
        found: `cannot be reached at ${agentUrl}: ${reading.failure.message}`,
        mend: "check --agent-url, the network, the proxy variables and agent.caFile",
        exitCode: EXIT.unavailable,
      };
  }
}

function findingOfMissingKey({ config, apiKey }: ExamineAgentDeps): Finding | undefined {
  try {
    requireKey(config.agent, apiKey);
    return undefined;
  } catch (error) {
    return findingOfError("API key", error);
  }
}

function findingOfAnswer({ config, apiKey }: ExamineAgentDeps, answer: TaskReply): Finding {
  const what = "API key";
  const given = apiKey === undefined ? "none is given, and none was asked for" : "is accepted";
  if (answer.kind === "task") return { what, verdict: "ok", found: given };
  const { kind, code, message } = answer.failure;
  switch (kind) {
    case "task-not-found":
    case "refused":
    case "not-cancelable":
      return { what, verdict: "ok", found: given };
    case "credentials":
      return findingOfError(what, refusedCredentials(message));
    case "wrong-agent":
      return findingOfError(what, wrongAgent(message, config.agent.url));
    case "throttled":
      return {
        what,
        verdict: "warn",
        found: "the agent asks to slow down",
        mend: "somebody else may use the same key: lower --rate, or try later",
      };
    case "aborted":
    case "not-written":
    case "protocol":
    case "timed-out":
    case "too-large":
    case "unavailable":
      return {
        what,
        verdict: "fail",
        found: `the agent does not answer a question about a task: ${code} ${message}`,
        mend: "ask whoever runs the agent; runs wait for it and go on by themselves",
        exitCode: EXIT.unavailable,
      };
  }
}
