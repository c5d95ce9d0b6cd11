/** Unit -> bytes; the binary ones first, so that they are chosen for writing. */
const UNITS: readonly (readonly [string, number])[] = [
  ["GiB", 1_073_741_824],
  ["MiB", 1_048_576],
  ["KiB", 1_024],
  ["GB", 1_000_000_000],
  ["MB", 1_000_000],
  ["kB", 1_000],
  ["B", 1],
];

const SIZE = /^(\d+(?:\.\d+)?)\s*([kmg]?i?b)?$/i;

/** Bytes of a humane size: `8MiB`, `64 KiB`, `1.5GB`, `4096`; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  const match = SIZE.exec(text.trim());
  if (match === null) return undefined;
  const unit = (match[2] ?? "B").toLowerCase();
  const found = UNITS.find(([name]) => name.toLowerCase() === unit);
  return found === undefined ? undefined : Math.round(Number(match[1]) * found[1]);
}

/** The shortest text that `parseSize` reads back to the same number of bytes: `8MiB`. */
export function formatSize(sizeBytes: number): string {
  for (const [unit, unitBytes] of UNITS) {
    if (sizeBytes >= unitBytes && sizeBytes % unitBytes === 0)
      return `${sizeBytes / unitBytes}${unit}`;
  }
  return `${sizeBytes}B`;
}
