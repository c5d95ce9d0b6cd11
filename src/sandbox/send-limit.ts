import type { SandboxSettings } from "./options.ts";
import { createSlidingWindow } from "./sliding-window.ts";

export type LimitVerdict =
  | { readonly kind: "pass" }
  /** Whole seconds, at least 1, as Retry-After wants them (RFC 9110 §10.2.3). */
  | { readonly kind: "throttled"; readonly retryAfterSeconds: number };

const PASS: LimitVerdict = { kind: "pass" };

/** The agent's own rate limit: counts the sends that passed in a sliding window. */
export function createSendLimit(limit: SandboxSettings["limit"]): (nowMs: number) => LimitVerdict {
  if (limit === undefined) {
    return () => PASS;
  }
  // A window in which at least one send fits, for limits of less than one send a window.
  const windowMs = Math.max(limit.windowMs, 1000 / limit.sendPerSecond);
  const most = Math.floor((limit.sendPerSecond * windowMs) / 1000);
  const window = createSlidingWindow(windowMs);
  return (nowMs) => {
    if (window.countAt(nowMs) < most) {
      window.add(nowMs);
      return PASS;
    }
    const freeAtMs = (window.oldestMs() ?? nowMs) + windowMs;
    return {
      kind: "throttled",
      retryAfterSeconds: Math.max(1, Math.ceil((freeAtMs - nowMs) / 1000)),
    };
  };
}
