import { expect } from "vitest";
import type { GatewayCall } from "./agent-gateway.ts";
import { identityOf, type ProgressWatch } from "./progress-watch.ts";
import { allRows, type RunOutputs, readOutputs, rowsUpTo } from "./run-outputs.ts";
import type { Stage, StageAgent } from "./stage.ts";

/** What a run of rows that all succeed must have come to, whatever was done to its processes. */
export interface SettledOnce {
  readonly stage: Stage;
  readonly agent: StageAgent;
  readonly rows: number;
}

/** Every row is in the results once, and the agent has made one task of each. */
export async function expectSettledOnce({ stage, agent, rows }: SettledOnce): Promise<RunOutputs> {
  const outputs = await readOutputs(stage.outDir, stage.runId);
  expect(allRows(outputs)).toEqual(rowsUpTo(rows));
  expect(outputs.results.rows).toHaveLength(rows);
  expect(outputs.summary.rows).toMatchObject({
    total: rows,
    succeeded: rows,
    failed: 0,
    pending: 0,
    open: 0,
    unprocessed: 0,
  });
  expect(new Set(outputs.results.rows.map((row) => row["onboard_task_id"])).size).toBe(rows);
  expect(agent.stats().tasks).toBe(rows);
  return outputs;
}

/** In every reading since the run began the parts make the total. */
export function expectIdentity(watch: ProgressWatch, rows: number): void {
  const begun = watch.readings.filter(({ total }) => total !== "0");
  for (const reading of begun) expect(identityOf(reading)).toEqual({ total: rows, parts: rows });
}

/** How often each message was sent. */
export function sendsByMessage(calls: readonly GatewayCall[]): ReadonlyMap<string, number> {
  const sends = new Map<string, number>();
  for (const { method, messageId } of calls) {
    if (method === "SendMessage") sends.set(messageId, (sends.get(messageId) ?? 0) + 1);
  }
  return sends;
}
