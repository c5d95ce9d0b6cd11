/** The versions of Node that this program is made for; `engines` in package.json says the same. */
export const SUPPORTED_NODE = "^20.19.0 || ^22.12.0 || >=24";

/** The first minor version of each supported even line before 24. */
const FIRST_MINOR: ReadonlyMap<number, number> = new Map([
  [20, 19],
  [22, 12],
]);

/** @param version as in `process.versions.node`: `22.12.0` */
export function isSupportedNode(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major >= 24) return true;
  return minor >= (FIRST_MINOR.get(major) ?? Number.POSITIVE_INFINITY);
}
