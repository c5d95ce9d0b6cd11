import { isLoopback } from "../a2a/agent-url.ts";
import type { Config } from "../config/schema.ts";
import { OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";

/**
 * Anything but loopback needs a key, unless the configuration says that the agent wants none.
 *
 * @throws OnboardError exit 2 that says how to give one
 */
export function requireKey({ url, auth }: Config["agent"], apiKey: string | undefined): void {
  if (apiKey !== undefined || auth === "none" || url === "sandbox") return;
  if (isLoopback(new URL(url))) return;
  throw new OnboardError(EXIT.usage, `there is no key for the agent at ${url}`, {
    hint: "set ONBOARD_BATCH_API_KEY or ONBOARD_BATCH_API_KEY_FILE; for an agent without keys say agent.auth: none in the configuration file",
  });
}
