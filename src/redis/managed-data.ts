import { existsSync } from "node:fs";
import path from "node:path";

/** What a managed server leaves behind: its append-only log (7.0 and later, before) and its socket. */
const TRACES = ["appendonlydir", "appendonly.aof", "redis.sock"];

/** Whether a managed Redis has ever been started in a folder: without its data there is nothing to look at. */
export function hasManagedData(folder: string): boolean {
  return TRACES.some((name) => existsSync(path.join(folder, name)));
}
