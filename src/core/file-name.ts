const MAX_LENGTH = 80;

/**
 * A file name made from one that the agent gave: letters, digits, `.`, `-` and `_` only, no leading
 * dot, not too long, never empty. It can name nothing outside its folder.
 */
export function safeFileName(name: string): string {
  const safe = name
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9._-]+/g, "_")
    .replaceAll(/\.{2,}/g, ".")
    .slice(-MAX_LENGTH)
    .replace(/^[._-]+/, "");
  return safe === "" ? "file" : safe;
}
