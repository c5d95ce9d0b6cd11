/** `--max-failures`: how many failed rows a run may have before it is stopped. */
export type FailureLimit =
  | { readonly kind: "rows"; readonly rows: number }
  /** Of the settled rows, once there are enough of them to tell. */
  | { readonly kind: "percent"; readonly percent: number };

const LIMIT = /^\s*(\d{1,9})(?:(\.\d{1,3})?\s*(%))?\s*$/;

/** `20` or `5%` or `0.5%`; undefined for anything else. */
export function parseFailureLimit(text: string): FailureLimit | undefined {
  const match = LIMIT.exec(text);
  if (match === null) return undefined;
  const [, whole = "", fraction = "", sign] = match;
  if (sign === undefined) return { kind: "rows", rows: Number(whole) };
  const percent = Number(`${whole}${fraction}`);
  return percent > 100 ? undefined : { kind: "percent", percent };
}
