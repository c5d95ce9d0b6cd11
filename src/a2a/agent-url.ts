import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";

const LOOPBACK = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Whether a URL names this machine, so that nothing leaves it. */
export function isLoopback(url: URL): boolean {
  return LOOPBACK.test(url.hostname);
}

/** An agent URL that may be called, with what to warn about. */
export interface AllowedUrl {
  readonly url: URL;
  readonly warnings: readonly string[];
}

/**
 * Checks a configured agent URL: absolute, https except on loopback (A2A §7.1), and without user name or password.
 * `allowHttp` lets plain http pass, with a warning.
 * @throws OnboardError (usage) for any other URL.
 */
export function assertAllowedUrl(agentUrl: string, allowHttp: boolean): AllowedUrl {
  const url = URL.canParse(agentUrl) ? new URL(agentUrl) : undefined;
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new OnboardError(EXIT.usage, `the agent URL is not an http(s) URL: ${agentUrl}`, {
      hint: "give an absolute URL with --agent-url, such as https://api.cdq.com/a2a/cdq-genius/",
    });
  }
  if (url.username !== "" || url.password !== "") {
    throw new OnboardError(EXIT.usage, "the agent URL holds a user name or password", {
      hint: "leave them out; the key comes from ONBOARD_BATCH_API_KEY or ONBOARD_BATCH_API_KEY_FILE",
    });
  }
  if (url.protocol === "https:" || isLoopback(url)) return { url, warnings: [] };
  if (allowHttp) {
    return {
      url,
      warnings: [`partner data and key go to ${url.host} unencrypted (agent.allowHttp)`],
    };
  }
  throw new OnboardError(EXIT.usage, `the agent URL is not encrypted: ${url.origin}`, {
    hint: "use https://, or set agent.allowHttp: true in the configuration file to accept the risk",
  });
}

/** Where calls go when no card says otherwise: the base URL with exactly one slash at its end. */
export function defaultEndpoint(agentUrl: string): string {
  return below(agentUrl, "");
}

/** Where the card lies: below the base URL, not at the root of its host. */
export function cardUrlOf(agentUrl: string): string {
  return below(agentUrl, CARD_PATH);
}

/** Path of the card below the base URL (A2A §8.2). */
export const CARD_PATH = ".well-known/agent-card.json";

/** Appends, since resolving a relative path would drop the last segment of a base without a slash. */
function below(agentUrl: string, path: string): string {
  const url = new URL(agentUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, "")}/${path}`;
  url.hash = "";
  return url.href;
}
