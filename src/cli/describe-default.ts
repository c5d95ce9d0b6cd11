import type { Setting } from "../config/settings.ts";

/** The default as help shows it; empty for switches that are off. */
export function describeDefault({ default: value, unset }: Setting): string {
  if (unset !== undefined) return unset;
  if (value === true) return "on";
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}
