import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { safeFileName } from "../core/file-name.ts";
import type { OutcomePart, RowOutcome } from "../core/outcome.ts";
import { toDisk } from "./disk.ts";

/** Takes files out of outcomes and puts them below the run's folder. */
export interface FileStore {
  /**
   * The outcome with the places of its files instead of their content.
   *
   * @throws OnboardError exit 5 when the disk does not take them
   */
  store(outcome: RowOutcome): Promise<RowOutcome>;
}

/** @param dir the run's folder; files go to `files/` in it under names of our own making */
export function createFileStore(dir: string): FileStore {
  async function storeFile(name: string, base64: string): Promise<string> {
    const relative = path.posix.join("files", name);
    const target = path.join(dir, relative);
    await toDisk(target, async () => {
      await mkdir(path.join(dir, "files"), { recursive: true });
      // Both alphabets of base64 occur in ProtoJSON; Buffer reads either.
      await writeFile(target, Buffer.from(base64, "base64"), { flush: true });
    });
    return relative;
  }

  return {
    async store(outcome) {
      if (outcome.kind !== "succeeded") return outcome;
      let fileCount = 0;
      const storePart = async (part: OutcomePart): Promise<OutcomePart> => {
        if (part.kind === "text" || part.kind === "data") return part;
        fileCount += 1;
        if (part.kind !== "raw") return part;
        const { name, mediaType, base64 } = part;
        const place = `${outcome.row}-${fileCount}-${safeFileName(name)}`;
        return { kind: "stored", name, mediaType, path: await storeFile(place, base64) };
      };
      const artifacts = await inTurn(outcome.artifacts, async (artifact) => ({
        ...artifact,
        parts: await inTurn(artifact.parts, storePart),
      }));
      return { ...outcome, artifacts, message: await inTurn(outcome.message, storePart) };
    },
  };
}

/** One after the other, so that numbers follow the agent's order. */
async function inTurn<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const done: R[] = [];
  for (const item of items) done.push(await work(item));
  return done;
}
