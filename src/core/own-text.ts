/**
 * The same text on its own. A part of a text keeps the whole of it in memory (V8): what is kept for long must not
 * hold a piece of the file each.
 */
export function ownText(text: string): string {
  return Array.from(text).join("");
}
