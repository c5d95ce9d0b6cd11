import { createHash } from "node:crypto";

/** Makes our ids differ from every other UUIDv5 user's; any fixed UUID would do. */
const NAMESPACE = Buffer.from("6f0f5b0e9d0e4c0b8a5b3c6d2f1e7a94", "hex");

/** What makes a message the same message when it is sent again. */
export interface MessageIdentity {
  readonly runId: string;
  /** Start of the run, ms since the epoch: next month's run of the same file is another one. */
  readonly startedAtMs: number;
  readonly row: number;
  readonly text: string;
  /** 0 at first; 1 after the agent lost the row's first task, which makes a new message. */
  readonly tryGroup: number;
}

/**
 * The messageId of a row's message, a UUIDv5 (RFC 9562 §5.5): the same for every repeat of one
 * message, so that an agent that looks at it (A2A §3.3.1) recognises the repeat.
 */
export function computeMessageId(identity: MessageIdentity): string {
  const textHash = createHash("sha256").update(identity.text).digest("hex");
  const name = `${identity.runId}\n${identity.startedAtMs}\n${identity.row}\n${identity.tryGroup}\n${textHash}`;
  const bytes = createHash("sha1").update(NAMESPACE).update(name).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x50, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
