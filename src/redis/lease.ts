import { errorText } from "../core/errors.ts";
import type { Log } from "../core/log.ts";
import { parseOwnJson } from "../core/own-json.ts";
import type { RedisClient } from "./connect.ts";
import { runKeys } from "./keys.ts";
import type { ProcessIdentity } from "./process-identity.ts";
import { isSameAlive, ownIdentity } from "./process-identity.ts";
import { loadScript } from "./script.ts";

/** The right to write a run's files; one process has it at a time. */
export interface Lease {
  /** Aborted when another process has it after all: this one was stalled for too long. */
  readonly lost: AbortSignal;
  /** Gives the right back; safe to call more than once. */
  release(): Promise<void>;
}

export type LeaseTry =
  | { readonly kind: "taken"; readonly lease: Lease }
  | { readonly kind: "held"; readonly holder: ProcessIdentity };

/** Longer than any stall of a healthy process; another host's dead holder is waited out so long. */
const LIFE_MS = 20_000;
const RENEW_MS = 5_000;

/**
 * Tries to take the lease of a run. A holder of this host that is gone (by pid and start time) is
 * replaced at once, so that the same command can go on right after a crash.
 */
export async function tryLease(client: RedisClient, runId: string, log: Log): Promise<LeaseTry> {
  const take = loadScript(client, "take-lease");
  const drop = loadScript(client, "drop-lease");
  const key = runKeys(runId).lease;
  const own = await ownIdentity();
  const holder = JSON.stringify(own);

  let [found = ""] = await take([key], [holder, LIFE_MS, ""]);
  if (found !== "") {
    const other = parseOwnJson<ProcessIdentity>(found);
    const isGone = other.host === own.host && !(await isSameAlive(other));
    if (!isGone) return { kind: "held", holder: other };
    [found = ""] = await take([key], [holder, LIFE_MS, found]);
    if (found !== "") return { kind: "held", holder: parseOwnJson<ProcessIdentity>(found) };
  }

  const losing = new AbortController();
  const renew = async (): Promise<void> => {
    const [other = ""] = await take([key], [holder, LIFE_MS, ""]);
    if (other !== "") losing.abort();
  };
  const timer = setInterval(() => {
    renew().catch((error: unknown) => {
      log.warn("lease.not-renewed", { runId, error: errorText(error) });
    });
  }, RENEW_MS);
  let released = false;
  return {
    kind: "taken",
    lease: {
      lost: losing.signal,
      async release() {
        if (released) return;
        released = true;
        clearInterval(timer);
        await drop([key], [holder]);
      },
    },
  };
}
