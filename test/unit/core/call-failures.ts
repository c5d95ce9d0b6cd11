import type { CallFailure } from "../../../src/core/call.ts";

/** A failed call of each kind. */
export function failureOf(kind: CallFailure["kind"]): CallFailure {
  const told = { code: "", message: `a call that is ${kind}` };
  switch (kind) {
    case "not-written":
      return { kind, cause: "refused", ...told };
    case "throttled":
      return { kind, retryAfterMs: 3_000, ...told };
    default:
      return { kind, ...told };
  }
}
