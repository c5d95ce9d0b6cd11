/** HTML that is safe to put into a page. */
export interface Html {
  readonly markup: string;
}

type Content = string | number | Html | readonly Html[] | undefined;

// Control characters, and marks that turn the direction of what follows them.
const INVISIBLE = /[\p{Cc}\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu;

/**
 * A template of HTML: whatever stands in `${}` becomes text, unless it is HTML of this function. Attributes
 * must be in quotes. Undefined and empty lists leave nothing.
 */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  const markup = parts.reduce((text, part, index) => text + markupOf(contents[index - 1]) + part);
  return { markup };
}

function markupOf(content: Content): string {
  if (content === undefined) return "";
  if (typeof content === "number") return String(content);
  if (typeof content === "string") return escapeHtml(content);
  return isList(content) ? content.map(({ markup }) => markup).join("") : content.markup;
}

function isList(content: Html | readonly Html[]): content is readonly Html[] {
  return Array.isArray(content);
}

function escapeHtml(text: string): string {
  return text
    .replaceAll(/[\r\n\t]/g, " ")
    .replaceAll(INVISIBLE, "\uFFFD")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
