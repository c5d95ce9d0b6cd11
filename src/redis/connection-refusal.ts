import { errorText, OnboardError } from "../core/errors.ts";
import { EXIT } from "../core/exit-code.ts";
import { connectionErrorText, errorCode } from "./error-code.ts";
import type { RedisTopology } from "./topology.ts";

/** A Redis that is being met. */
export interface Meeting {
  readonly topology: RedisTopology;
  /** For messages, without credentials. */
  readonly name: string;
  readonly waitMs: number;
}

interface Refusal {
  readonly message: string;
  readonly hint: string;
}

/** Errors that no waiting mends, as an exit 2; undefined for those that may pass. */
export function computeRefusal(error: unknown, meeting: Meeting): OnboardError | undefined {
  const text = connectionErrorText(error);
  if (/\bNOPERM\b/.test(text)) return notPermitted(meeting.name, error);
  const refusal =
    loginRefusal(text, meeting) ?? kindRefusal(text, meeting) ?? tlsRefusal(error, meeting);
  return refusal === undefined
    ? undefined
    : new OnboardError(EXIT.usage, refusal.message, { hint: refusal.hint, cause: error });
}

/** The exit 2 of an account that may do too little. */
export function notPermitted(name: string, cause: unknown): OnboardError {
  return new OnboardError(
    EXIT.usage,
    `the Redis at ${name} does not permit this user what is needed: ${errorText(cause)}`,
    { hint: "docs/redis.md has the ACL line with the commands and keys that are needed", cause },
  );
}

function loginRefusal(text: string, { topology, name }: Meeting): Refusal | undefined {
  if (!/\b(WRONGPASS|NOAUTH)\b|invalid password/.test(text)) return undefined;
  const message = `the Redis at ${name} refuses the user or password`;
  const account = "redis.user and ONBOARD_BATCH_REDIS_PASSWORD[_FILE]";
  switch (topology.kind) {
    case "single":
      return {
        message,
        hint: `write them into the URL, percent-encoded: redis://user:password@host:6379, or redis://:password@host:6379; or into ${account}`,
      };
    case "sentinels":
      return {
        message,
        hint: `${account} are for the servers; redis.sentinels.user and ONBOARD_BATCH_SENTINEL_PASSWORD[_FILE] for the Sentinels`,
      };
    case "cluster":
      return { message, hint: `they are ${account}` };
  }
}

function kindRefusal(text: string, { name }: Meeting): Refusal | undefined {
  if (/cluster support disabled/.test(text)) {
    return {
      message: `the Redis at ${name} is no Cluster`,
      hint: "write it into redis.url of the configuration file instead",
    };
  }
  if (/DB index/.test(text)) {
    return {
      message: `the Redis at ${name} has no such database`,
      hint: "the number after the host's / is the database; 0 always exists",
    };
  }
  return undefined;
}

function tlsRefusal(error: unknown, { name }: Meeting): Refusal | undefined {
  if (!/CERT|_TLS_|_SSL_|^EPROTO$/.test(errorCode(error) ?? "")) return undefined;
  return {
    message: `no trusted TLS connection to the Redis at ${name}: ${connectionErrorText(error)}`,
    hint: "check that the server speaks TLS (rediss:// or redis.tls) and that its certificate is trusted: a private authority goes into redis.tls.caFile or NODE_EXTRA_CA_CERTS",
  };
}

/** The exit 5 of a Redis that did not become usable in time. */
export function unanswered({ name, waitMs }: Meeting, lastError: unknown): OnboardError {
  const reason = lastError === undefined ? "no answer" : connectionErrorText(lastError);
  return new OnboardError(
    EXIT.unavailable,
    `the Redis at ${name} did not answer within ${waitMs / 1_000} s (${reason})`,
    {
      hint: "start it, or name another with --redis; --redis managed starts a private one on this machine",
      cause: lastError,
    },
  );
}
