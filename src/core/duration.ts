/** Unit -> ms, longest first. */
const UNITS: readonly (readonly [string, number])[] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
  ["ms", 1],
];

const DURATION =
  /^(?:(\d+(?:\.\d+)?)d)?(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/;

/**
 * Milliseconds of a humane duration: `500ms`, `30s`, `15m`, `2h`, `14d`, `1h30m`, `1.5s`.
 * Undefined for anything else; a bare number has no unit and is refused, so that nobody's seconds become minutes.
 */
export function parseDuration(text: string): number | undefined {
  const trimmed = text.trim();
  const match = trimmed === "" ? null : DURATION.exec(trimmed);
  if (match === null) return undefined;
  const ms = UNITS.reduce((sum, [, unitMs], at) => sum + Number(match[at + 1] ?? 0) * unitMs, 0);
  return Math.round(ms);
}

/** The shortest text that `parseDuration` reads back to the same ms: `90s`, `15m`, `14d`. */
export function formatDuration(ms: number): string {
  for (const [unit, unitMs] of UNITS) {
    if (ms >= unitMs && ms % unitMs === 0) return `${ms / unitMs}${unit}`;
  }
  return `${ms}ms`;
}

/** A rounded duration for people, in at most two units: `5 s`, `2 min 33 s`, `3 h 20 min`, `4 d 2 h`. */
export function describeDuration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  if (seconds < 60) return `${seconds} s`;
  if (minutes < 60) return `${minutes} min${rest(seconds % 60, "s")}`;
  if (hours < 24) return `${hours} h${rest(minutes % 60, "min")}`;
  return `${Math.floor(hours / 24)} d${rest(hours % 24, "h")}`;
}

function rest(count: number, unit: string): string {
  return count === 0 ? "" : ` ${count} ${unit}`;
}
