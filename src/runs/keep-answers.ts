import { readFile } from "node:fs/promises";
import path from "node:path";
import { answerLine, createAnswerKeys, isWorthKeeping } from "../core/earlier-answer.ts";
import { errorText } from "../core/errors.ts";
import type { OutcomePart, RowOutcome, SucceededOutcome } from "../core/outcome.ts";
import type { RunSettings } from "../core/run-settings.ts";
import type { AnswerStore } from "./answer-store.ts";
import { pruneStore, storeFileOf } from "./answer-store.ts";
import { createStoreFile } from "./new-store-file.ts";

/** Keeps a run's answers for later runs; what cannot be kept is a warning and never an error. */
export interface AnswerKeeper {
  /** @param text what was asked; only its hash is kept */
  add(text: string, outcome: RowOutcome): Promise<void>;
  /** Puts the answers in the place of those that the run has kept before, and removes what is too old. */
  close(): Promise<void>;
  /** Leaves all as it was. */
  discard(): Promise<void>;
}

export interface KeepRequest {
  readonly store: AnswerStore;
  readonly settings: RunSettings;
  /** The run's folder; the agent's files lie below it. */
  readonly dir: string;
  /** Lines for people. */
  readonly warn: (text: string) => void;
}

/** With nothing to be kept for any time it only removes what was kept. */
export function createAnswerKeeper({ store, settings, dir, warn }: KeepRequest): AnswerKeeper {
  const { stateDir, keptMs } = store;
  const file = createStoreFile(storeFileOf(stateDir, settings));
  const keyOf = createAnswerKeys(settings);
  let isOver = keptMs === 0;

  async function attempt(work: () => Promise<void>): Promise<void> {
    if (isOver) return;
    try {
      await work();
    } catch (error) {
      isOver = true;
      warn(`the answers of this run are not kept for --reuse: ${errorText(error)}`);
      await file.discard();
    }
  }

  return {
    add: (text, outcome) =>
      attempt(async () => {
        if (!isWorthKeeping(outcome)) return;
        const whole = await withFiles(outcome, dir);
        if (whole !== undefined) await file.append(answerLine(keyOf(text), settings.runId, whole));
      }),
    async close() {
      await attempt(() => file.publish());
      await pruneStore(stateDir, Date.now() - keptMs).catch((error: unknown) => {
        warn(`old answers that were kept for --reuse are not removed: ${errorText(error)}`);
      });
    },
    discard: () => file.discard(),
  };
}

/** The outcome with the content of its files; undefined when one of them is gone. */
async function withFiles(
  outcome: SucceededOutcome,
  dir: string,
): Promise<SucceededOutcome | undefined> {
  const { artifacts, message } = outcome;
  if (![...artifacts.flatMap(({ parts }) => parts), ...message].some(isStored)) return outcome;
  const withContent = (parts: readonly OutcomePart[]): Promise<OutcomePart[]> =>
    Promise.all(parts.map((part) => readStored(part, dir)));
  try {
    return {
      ...outcome,
      artifacts: await Promise.all(
        artifacts.map(async ({ name, parts }) => ({ name, parts: await withContent(parts) })),
      ),
      message: await withContent(message),
    };
  } catch {
    return undefined;
  }
}

type StoredPart = Extract<OutcomePart, { kind: "stored" }>;

function isStored(part: OutcomePart): part is StoredPart {
  return part.kind === "stored";
}

async function readStored(part: OutcomePart, dir: string): Promise<OutcomePart> {
  if (!isStored(part)) return part;
  const { name, mediaType } = part;
  return {
    kind: "raw",
    name,
    mediaType,
    base64: await readFile(path.join(dir, part.path), "base64"),
  };
}
