import { readFileSync } from "node:fs";

/** The version in package.json, which lies two folders above both the source and the built file. */
export function readVersion(): string {
  const text = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  const parsed: unknown = JSON.parse(text);
  const isPackage = typeof parsed === "object" && parsed !== null && "version" in parsed;
  return isPackage ? String(parsed.version) : "unknown";
}
