import { expect } from "vitest";
import type { CliProcess } from "./cli-process.ts";
import type { Stage } from "./stage.ts";

export function startWorkers(stage: Stage, count: number): CliProcess[] {
  return Array.from({ length: count }, () => stage.start("worker"));
}

/** A worker that is told to stop has stopped well. */
export async function stopWorkers(workers: readonly (CliProcess | undefined)[]): Promise<void> {
  for (const worker of workers) worker?.signal("SIGTERM");
  for (const worker of workers) expect((await worker?.ended)?.exitCode).toBe(0);
}
