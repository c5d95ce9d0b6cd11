import type { FileHandle } from "node:fs/promises";
import { open } from "node:fs/promises";
import {
  createAnswerKeys,
  HEAD_BYTES,
  parseAnswerHead,
  reuseAnswer,
} from "../core/earlier-answer.ts";
import { createHashTable } from "../core/hash-table.ts";
import type { SucceededOutcome } from "../core/outcome.ts";
import type { RunSettings } from "../core/run-settings.ts";
import { listStoreFiles } from "./answer-store.ts";
import { readPlacedLines } from "./placed-lines.ts";
import type { RunFileDeps } from "./run-context.ts";

/** A row with what would be asked for it. */
export interface AskedRow {
  readonly row: number;
  readonly text: string;
}

/** The answers of earlier runs that a run may take. */
export interface EarlierAnswers {
  /** The newest answer of each row that has one, as the row's outcome. */
  find(rows: readonly AskedRow[]): Promise<readonly SucceededOutcome[]>;
  /** How many of the rows have one. */
  count(rows: readonly AskedRow[]): Promise<number>;
}

/** Without `--reuse`. */
export const NO_EARLIER_ANSWERS: EarlierAnswers = {
  find: async () => [],
  count: async () => 0,
};

export interface EarlierRequest {
  readonly stateDir: string;
  /** Older answers are not taken. */
  readonly maxAgeMs: number;
  readonly settings: Pick<RunSettings, "agentUrl" | "acceptedOutputModes">;
}

/** The answers of this host's store; it is read through when first asked for any. */
export function openEarlierAnswers({
  stateDir,
  maxAgeMs,
  settings,
}: EarlierRequest): EarlierAnswers {
  const keyOf = createAnswerKeys(settings);
  let indexing: Promise<AnswerIndex> | undefined;

  async function locate(rows: readonly AskedRow[]): Promise<readonly WantedAnswer[]> {
    const index = await (indexing ??= indexAnswers(stateDir, Date.now() - maxAgeMs));
    return rows.flatMap(({ row, text }) => {
      const key = keyOf(text);
      const place = index.placeOf(key);
      return place === undefined ? [] : [{ row, key, place }];
    });
  }

  return {
    find: async (rows) => readAnswers(await locate(rows)),
    count: async (rows) => (await locate(rows)).length,
  };
}

/** What a command's `--reuse` lets a run take. */
export function earlierAnswersFor(
  { config, stateDir }: Pick<RunFileDeps, "config" | "stateDir">,
  settings: EarlierRequest["settings"],
): EarlierAnswers {
  const { reuseMs } = config;
  if (reuseMs === undefined) return NO_EARLIER_ANSWERS;
  return openEarlierAnswers({ stateDir, maxAgeMs: reuseMs, settings });
}

/** Where an answer stands. */
interface AnswerPlace {
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

interface AnswerIndex {
  placeOf(key: string): AnswerPlace | undefined;
}

/** Finds the newest answer of each key in one pass over the store, in about 60 bytes for each. */
async function indexAnswers(stateDir: string, sinceMs: number): Promise<AnswerIndex> {
  const files = await listStoreFiles(stateDir, sinceMs);
  const entries = createHashTable();
  const places = createPlaces();
  for (const [fileNumber, file] of files.entries()) {
    for await (const { bytes, offset } of readPlacedLines(file)) {
      const head = parseAnswerHead(bytes.toString("latin1", 0, HEAD_BYTES));
      if (head === undefined || head.givenAtMs < sinceMs) continue;
      const entry = entries.keep(head.key, places.count());
      const { givenAtMs } = head;
      places.keepNewest(entry, { fileNumber, offset, length: bytes.length, givenAtMs });
    }
  }
  return {
    placeOf(key) {
      const entry = entries.find(key);
      if (entry === undefined) return undefined;
      const { fileNumber, offset, length } = places.get(entry);
      return { file: files[fileNumber] ?? "", offset, length };
    },
  };
}

interface NumberedPlace extends Omit<AnswerPlace, "file"> {
  readonly fileNumber: number;
  readonly givenAtMs: number;
}

const FIRST_SIZE = 1024;
const FIELDS = ["fileNumber", "offset", "length", "givenAtMs"] as const;

/** Places in one list of numbers: objects would cost three times as much. */
function createPlaces() {
  let numbers = new Float64Array(FIRST_SIZE * FIELDS.length);
  let count = 0;

  function get(entry: number): NumberedPlace {
    const [fileNumber = 0, offset = 0, length = 0, givenAtMs = 0] = numbers.subarray(
      entry * FIELDS.length,
    );
    return { fileNumber, offset, length, givenAtMs };
  }

  return {
    count: () => count,
    get,
    /** @param entry one that is there, or the next */
    keepNewest(entry: number, place: NumberedPlace): void {
      const at = entry * FIELDS.length;
      if (entry < count && (numbers[at + 3] ?? 0) > place.givenAtMs) return;
      if (at === numbers.length) {
        const larger = new Float64Array(numbers.length * 2);
        larger.set(numbers);
        numbers = larger;
      }
      for (const [index, field] of FIELDS.entries()) numbers[at + index] = place[field];
      count = Math.max(count, entry + 1);
    },
  };
}

interface WantedAnswer {
  readonly row: number;
  readonly key: string;
  readonly place: AnswerPlace;
}

/** The answers that are still where they were found. */
async function readAnswers(wanted: readonly WantedAnswer[]): Promise<readonly SucceededOutcome[]> {
  const handles = new Map<string, FileHandle | undefined>();
  try {
    for (const { place } of wanted) {
      if (handles.has(place.file)) continue;
      // Another process may have removed it by now: then the row is sent.
      handles.set(place.file, await open(place.file, "r").catch(() => undefined));
    }
    const read = await Promise.all(
      wanted.map(async ({ row, key, place }) => {
        const line = await readLine(handles.get(place.file), place);
        return line === undefined ? undefined : reuseAnswer(line, key, row);
      }),
    );
    return read.filter((outcome) => outcome !== undefined);
  } finally {
    for (const handle of handles.values()) await handle?.close();
  }
}

async function readLine(
  handle: FileHandle | undefined,
  { offset, length }: AnswerPlace,
): Promise<string | undefined> {
  if (handle === undefined) return undefined;
  const bytes = Buffer.alloc(length);
  const { bytesRead } = await handle.read(bytes, 0, length, offset);
  return bytesRead === length ? bytes.toString("utf8") : undefined;
}
