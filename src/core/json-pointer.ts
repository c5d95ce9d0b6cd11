/** The tokens of a JSON pointer (RFC 6901), unescaped, or what is wrong with it. */
export type ParsedPointer =
  | { readonly kind: "pointer"; readonly tokens: readonly string[] }
  | { readonly kind: "problem"; readonly message: string };

/** Reads `/address/lines/0`. The empty pointer, which means the whole value, is one too. */
export function parsePointer(text: string): ParsedPointer {
  if (text === "") return { kind: "pointer", tokens: [] };
  if (!text.startsWith("/")) {
    return { kind: "problem", message: "a JSON pointer begins with /, for example /address/city" };
  }
  if (/~(?![01])/.test(text)) {
    return {
      kind: "problem",
      message: "in a JSON pointer ~ is written ~0, and / within a name ~1",
    };
  }
  const tokens = text.slice(1).split("/");
  // In this order, so that ~01 becomes ~1 (RFC 6901 §4).
  const unescaped = tokens.map((token) => token.replaceAll("~1", "/").replaceAll("~0", "~"));
  return { kind: "pointer", tokens: unescaped };
}

/** The pointer with these tokens. */
export function formatPointer(tokens: readonly string[]): string {
  return tokens.map((token) => `/${token.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** The value that a pointer's tokens lead to; undefined when there is none. Only own members count. */
export function resolvePointer(value: unknown, tokens: readonly string[]): unknown {
  let found = value;
  for (const token of tokens) found = memberOf(found, token);
  return found;
}

const ARRAY_INDEX = /^(?:0|[1-9]\d*)$/;

function memberOf(value: unknown, token: string): unknown {
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value;
    return ARRAY_INDEX.test(token) ? items[Number(token)] : undefined;
  }
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, token)) return undefined;
  return Object.entries(value).find(([name]) => name === token)?.[1];
}
