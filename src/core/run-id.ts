import { createHash } from "node:crypto";
import type { ReadOptions } from "./input.ts";

/** What changes answers: two runs that agree on all of it would ask the same questions. */
export interface RunIdentity {
  readonly sha256: string;
  readonly agentUrl: string;
  readonly template: string;
  readonly reading: ReadOptions;
  readonly dedupe: boolean;
  readonly rowLimit: number | undefined;
}

/** Hash of a run's identity, hex. Key order and absent options do not matter. */
export function hashIdentity(identity: RunIdentity): string {
  const { reading } = identity;
  const canonical = [
    identity.sha256,
    identity.agentUrl,
    identity.template,
    reading.delimiter ?? null,
    reading.encoding ?? null,
    reading.headerRow ?? null,
    reading.columns ?? null,
    Object.entries(reading.map).toSorted(([a], [b]) => (a < b ? -1 : 1)),
    identity.dedupe,
    identity.rowLimit ?? null,
    ...(reading.fallbackEncoding === undefined ? [] : [reading.fallbackEncoding]),
  ];
  return createHash("sha256").update(JSON.stringify(canonical)).digest("hex");
}

/**
 * The id of a file's run: the file's name, made safe, and the first 12 digits of the identity hash.
 *
 * @param file base name of the input
 */
export function computeRunId(file: string, identityHash: string): string {
  const stem = file
    .replace(/(\.(csv|tsv|txt|gz|zip))+$/i, "")
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 40);
  return `${stem === "" ? "run" : stem}-${identityHash.slice(0, 12)}`;
}

/** Whether a text may be a run id: letters, digits, `-` and `_`, at most 120 of them. */
export function isRunId(text: string): boolean {
  return /^[A-Za-z0-9_-]{1,120}$/.test(text);
}

/** The family's next member after the newest: `id`, `id-2`, `id-3`, … */
export function nextInFamily(baseId: string, newest: string | undefined): string {
  if (newest === undefined) return baseId;
  return `${baseId}-${familyNumber(baseId, newest) + 1}`;
}

/** The newest run of a family among `ids`, or undefined when there is none. */
export function newestOfFamily(baseId: string, ids: Iterable<string>): string | undefined {
  let newest: string | undefined;
  for (const id of ids) {
    if (familyNumber(baseId, id) > (newest === undefined ? 0 : familyNumber(baseId, newest)))
      newest = id;
  }
  return newest;
}

/** 1 for the base id, n for `base-n`, 0 for a stranger. */
function familyNumber(baseId: string, id: string): number {
  if (id === baseId) return 1;
  if (!id.startsWith(`${baseId}-`)) return 0;
  const digits = id.slice(baseId.length + 1);
  return /^[1-9]\d{0,8}$/.test(digits) && digits !== "1" ? Number(digits) : 0;
}
