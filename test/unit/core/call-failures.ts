import type { CallFailure } from "../../../src/core/call.ts";

/** A failed call of each kind. */
export function failureOf(kind: CallFailure["kind"]): CallFailure {
  const told = { code: "", message: `a call that is ${kind}` };
  if (kind === "not-written") return { kind, cause: "refused", ...told };
  return kind === "throttled" ? { kind, retryAfterMs: 3_000, ...told } : { kind, ...told };
}
