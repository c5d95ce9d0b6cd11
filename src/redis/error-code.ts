import { errorText } from "../core/errors.ts";

/** The text of a connection's error; a name with several addresses fails with an AggregateError without text. */
export function connectionErrorText(error: unknown): string {
  const text = errorText(error);
  return text === "" ? (errorCode(error) ?? "no connection") : text;
}

/** The system's or TLS's code of an error: `ECONNREFUSED`. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
