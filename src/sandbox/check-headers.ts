import type { IncomingHttpHeaders } from "node:http";
import type { SandboxSettings } from "./options.ts";
import type { Reply } from "./rpc.ts";
import { errorReply } from "./rpc.ts";

const SUPPORTED_VERSION = "1.0";

/** Node joins repeated headers of these names to one text; the type does not know that. */
function readHeader(headers: IncomingHttpHeaders, name: string): string {
  return String(headers[name] ?? "");
}

/** The reply that refuses a call for its headers (A2A §3.2.6, §3.6.2, §9.1), undefined when all is well. */
export function checkHeaders(
  headers: IncomingHttpHeaders,
  { requiredExtension }: Pick<SandboxSettings, "requiredExtension">,
): Reply | undefined {
  if (!readHeader(headers, "content-type").toLowerCase().startsWith("application/json")) {
    return errorReply(-32005, "The content type must be application/json.");
  }
  if (readHeader(headers, "a2a-version") !== SUPPORTED_VERSION) {
    return errorReply(-32009, `Only A2A-Version ${SUPPORTED_VERSION} is supported.`);
  }
  const declared = readHeader(headers, "a2a-extensions").split(/, */);
  if (requiredExtension !== undefined && !declared.includes(requiredExtension)) {
    return errorReply(-32008, `The extension ${requiredExtension} is required.`);
  }
  return undefined;
}
