import * as crypto from "node:crypto";
import { HASH_BYTES } from "./hash-table.ts";
import type { RowOutcome, SucceededOutcome } from "./outcome.ts";
import { parseOwnJson } from "./own-json.ts";
import type { RunSettings } from "./run-settings.ts";
import { encodeOutcome } from "./task-outcome.ts";

/** An answer that an earlier run was given, as one line of the store. */
interface StoredAnswer {
  /** Of what was asked; in hexadecimal digits. The question itself is not stored. */
  readonly key: string;
  /** When it was given, ms since the epoch. */
  readonly at: number;
  readonly runId: string;
  /** Files are in it with their content. */
  readonly outcome: SucceededOutcome;
}

/** What can be known of a stored answer without reading all of it. */
export interface AnswerHead {
  /** 16 bytes, encoding `binary`. */
  readonly key: string;
  /** When it was given, ms since the epoch. */
  readonly givenAtMs: number;
}

/**
 * Gives the function that makes the key of a message: a hash of all that an answer depends on, the agent and the
 * forms it may answer in included. 16 bytes, encoding `binary`.
 */
export function createAnswerKeys({
  agentUrl,
  acceptedOutputModes,
}: Pick<RunSettings, "agentUrl" | "acceptedOutputModes">): (text: string) => string {
  // JSON holds no line end, so that nothing runs together.
  const asked = `${JSON.stringify([agentUrl, acceptedOutputModes])}\n`;
  return (text) => crypto.hash("sha256", asked + text, "binary").slice(0, HASH_BYTES);
}

/** The line of an answer, with its line end. */
export function answerLine(key: string, runId: string, outcome: SucceededOutcome): string {
  const at = outcome.finishedAtMs;
  const stored: StoredAnswer = { key: toHex(key), at, runId, outcome };
  return `${JSON.stringify(stored)}\n`;
}

/** As many bytes of a line hold its head. */
export const HEAD_BYTES = 80;
const HEAD = new RegExp(`^\\{"key":"([0-9a-f]{${HASH_BYTES * 2}})","at":(\\d{1,16}),"runId":`);

/** The head of a line from its first bytes; undefined when the line is none of ours. */
export function parseAnswerHead(start: string): AnswerHead | undefined {
  const [, hex, at] = HEAD.exec(start) ?? [];
  if (hex === undefined) return undefined;
  return { key: Buffer.from(hex, "hex").toString("latin1"), givenAtMs: Number(at) };
}

/**
 * The outcome of a row that takes a stored answer: what the agent said, when and as which task is the answer's own, and
 * no call was made. Undefined when the line is damaged, holds another answer, or the outcome would be too large.
 */
export function reuseAnswer(line: string, key: string, row: number): SucceededOutcome | undefined {
  const stored = parseStored(line);
  if (stored?.key !== toHex(key) || !isAnswer(stored.outcome)) return undefined;
  const { outcome, runId } = stored;
  const reused: SucceededOutcome = { ...outcome, row, attempts: 0, polls: 0, reusedFrom: runId };
  return encodeOutcome(reused).outcome.kind === "succeeded" ? reused : undefined;
}

/** What stands in a line of ours, as far as it does. */
interface FoundAnswer extends Omit<StoredAnswer, "outcome"> {
  readonly outcome: Partial<SucceededOutcome> | null;
}

function parseStored(line: string): FoundAnswer | undefined {
  try {
    return parseOwnJson<FoundAnswer | null>(line) ?? undefined;
  } catch {
    return undefined;
  }
}

function isAnswer(found: FoundAnswer["outcome"]): found is SucceededOutcome {
  return (
    found?.kind === "succeeded" && Array.isArray(found.artifacts) && Array.isArray(found.message)
  );
}

/** Whether an outcome is an answer that later runs may take. What was itself reused is stored already. */
export function isWorthKeeping(outcome: RowOutcome): outcome is SucceededOutcome {
  return outcome.kind === "succeeded" && outcome.reusedFrom === undefined;
}

function toHex(key: string): string {
  return Buffer.from(key, "latin1").toString("hex");
}
