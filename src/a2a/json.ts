/** A JSON object about which nothing is known yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** Neither null nor a list. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The text, or empty: absent, null, `""` and anything that is no text mean "not set" (ProtoJSON). */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The list, or an empty one: absent, null and anything that is no list mean "none". */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Whether lists and objects lie deeper inside each other than `maxDepth`; never recurses further than that. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (maxDepth === 0) return true;
  const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of inner) {
    if (isDeeperThan(item, maxDepth - 1)) return true;
  }
  return false;
}
