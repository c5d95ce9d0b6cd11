import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { errorCode } from "./error-code.ts";

/** A process that can be told from a later one with the same id. */
export interface ProcessIdentity {
  readonly host: string;
  readonly pid: number;
  /** Start time in clock ticks since boot (Linux), or `-` where the system does not tell. */
  readonly startedAt: string;
}

/** The name that every connection of this process shows in CLIENT LIST; hosts tell containers apart. */
export function clientName(): string {
  return `onboard-batch:${hostname().replace(/[^\w.-]/g, "_")}:${process.pid}`;
}

/** Who this process is. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const stat = await readStat(process.pid);
  return { host: hostname(), pid: process.pid, startedAt: stat?.startedAt ?? "-" };
}

/** Whether a process of this host is alive; one that has ended but was not yet reaped is not. */
export async function isAlive(pid: number): Promise<boolean> {
  if (!canBeSignalled(pid)) return false;
  const stat = await readStat(pid);
  return stat === undefined || !/[ZX]/.test(stat.state);
}

/** Whether the process of this host is still alive, and not another one that got its id. */
export async function isSameAlive(identity: ProcessIdentity): Promise<boolean> {
  if (!(await isAlive(identity.pid))) return false;
  const stat = await readStat(identity.pid);
  return identity.startedAt === "-" || stat === undefined || stat.startedAt === identity.startedAt;
}

function canBeSignalled(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is there, but somebody else's.
    return errorCode(error) === "EPERM";
  }
}

/** proc(5): after the name in parentheses, which may hold anything, come state (3rd field) … starttime (22nd). */
async function readStat(pid: number): Promise<{ state: string; startedAt: string } | undefined> {
  try {
    const text = await readFile(`/proc/${pid}/stat`, "utf8");
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
    return { state: fields[0] ?? "?", startedAt: fields[19] ?? "-" };
  } catch {
    return undefined;
  }
}
