import type { Fault } from "./faults.ts";
import { readSecret, type SecretKind } from "./secret.ts";

/** What only those may know who need it. */
export interface Secrets {
  readonly apiKey?: string;
  readonly redisPassword?: string;
  readonly sentinelPassword?: string;
}

export interface SecretsRead {
  readonly secrets: Secrets;
  readonly faults: readonly Fault[];
  readonly warnings: readonly string[];
}

const KINDS: Readonly<Record<keyof Secrets, SecretKind>> = {
  apiKey: {
    name: "ONBOARD_BATCH_API_KEY",
    what: "the API key",
    // What an HTTP header can carry without being changed on the way.
    problemOf: (value) =>
      /^[\x21-\x7e]+$/.test(value) ? undefined : "must be one word of printable ASCII",
  },
  redisPassword: {
    name: "ONBOARD_BATCH_REDIS_PASSWORD",
    what: "the password of Redis",
    problemOf: onOneLine,
  },
  sentinelPassword: {
    name: "ONBOARD_BATCH_SENTINEL_PASSWORD",
    what: "the password of the Sentinels",
    problemOf: onOneLine,
  },
};

/** Reads every secret that the environment holds or names the file of; no text holds one. */
export async function readSecrets(
  env: Readonly<Record<string, string | undefined>>,
  cwd: string,
): Promise<SecretsRead> {
  const kinds = Object.entries(KINDS);
  const read = await Promise.all(kinds.map(([, kind]) => readSecret(kind, env, cwd)));
  const values = kinds.map(([key], index) => [key, read[index]?.value] as const);
  return {
    secrets: Object.fromEntries(values.filter(([, value]) => value !== undefined)),
    faults: read.flatMap(({ faults }) => faults),
    warnings: read.flatMap(({ warnings }) => warnings),
  };
}

function onOneLine(value: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  return /[\x00-\x1f\x7f]/.test(value) ? "must be one line without control characters" : undefined;
}
