import type { InputRow, ReadOptions } from "../../../src/core/input.ts";
import {
  DEFAULT_TEMPLATE,
  parseTemplate,
  renderMessage,
} from "../../../src/core/message-template.ts";
import { createReadingNotes } from "../../../src/core/reading-notes.ts";
import { openInput } from "../../../src/csv/read-input.ts";
import { tempFile } from "./temp-folder.ts";

/** What a file comes to: `rows` in few words, the message of each partner, what is noted and left out. */
export async function readAll(
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
  chunkBytes = 65_536,
) {
  const path = await tempFile(content);
  const input = await openInput(path, { map: {}, ...options }, { name: "FILE", chunkBytes });
  const notes = createReadingNotes();
  const records: InputRow[] = [];
  for await (const batch of input.rows(undefined, notes)) records.push(...batch);
  const { shape } = input;
  return {
    shape,
    records,
    names: records.map((row) => (row.kind === "partner" ? row.partner.name : row.failure.reason)),
    partners: records.flatMap((row) => (row.kind === "partner" ? [row.partner] : [])),
    messages: records.flatMap((row) => (row.kind === "partner" ? [messageOf(row.partner)] : [])),
    warnings: [...shape.warnings, ...notes.warnings()].join("\n"),
    skipped: [...shape.skipped, ...notes.skipped()],
  };
}

function messageOf(partner: Parameters<typeof renderMessage>[1]): string {
  const parsed = parseTemplate(DEFAULT_TEMPLATE);
  if (parsed.kind === "problem") throw new Error(parsed.message);
  return renderMessage(parsed.template, partner);
}

/** Why a file is refused; fails when it is not. */
export async function refusalOf(
  content: string | Uint8Array,
  options: Partial<ReadOptions> = {},
): Promise<string> {
  try {
    await readAll(content, options);
  } catch (error) {
    if (error instanceof Error && "exitCode" in error && error.exitCode === 2) return error.message;
    throw error;
  }
  throw new Error("the file was read");
}

/** Text in an encoding of one byte a character, given the bytes of its letters beyond ASCII. */
export function bytesOf(text: string, letters: Readonly<Record<string, number>>): Uint8Array {
  return Uint8Array.from(Array.from(text, (one) => letters[one] ?? one.charCodeAt(0)));
}
